export {
  type DatabaseUrls,
  databaseUrls,
  dropDatabase,
  prepareDatabase,
  prepareRoles,
  prepareSchemas,
  withClient,
} from './database/prepare-database.ts'
export { payToday } from './demo-shop/pay-today.ts'
export { type Schema, type StackServiceName, stackServiceNames } from './layout/stack-layout.ts'
export { freePort } from './machine/free-port.ts'
export { describeError, userError } from './machine/user-error.ts'
export {
  encryptTestCard,
  type HostedPaymentResponse,
  hostedApiUrl,
  payByCard,
  payInCash,
  waitForPaymentResult,
} from './payer/hosted-payment.ts'
export { type BrokerUrls, brokerUrls, deleteLogins, prepareBroker } from './servers/broker-logins.ts'
export { loadSecrets } from './services/secrets.ts'
export type { ServiceProcess } from './services/service-process.ts'
export { heapOptions, isReady } from './services/service-program.ts'
export { serviceSettings } from './services/service-settings.ts'
export { readServiceCli, runServiceCli } from './stack/service-command.ts'
export { readStack, type Stack } from './stack/stack-file.ts'
export { type Replica, type RunningStack, type StackOptions, startStack } from './stack/start-stack.ts'
