export {
  type DatabaseAddresses,
  databaseAddresses,
  dropDatabase,
  prepareDatabase,
} from './database/prepare-database.ts'
export { type Schema, type ServiceName, serviceNames } from './layout/stack-layout.ts'
export { freePort } from './machine/free-port.ts'
export { describeFault, plainFault } from './machine/user-error.ts'
export {
  awaitOutcome,
  encryptTestCard,
  hostedAddress,
  type PaymentResult,
  payHosted,
  payInCash,
} from './payer/hosted-payment.ts'
export { loadSecrets } from './services/secrets.ts'
export type { ServiceProcess } from './services/service-process.ts'
export { serviceSettings } from './services/service-settings.ts'
export { runCommandOf } from './stack/service-command.ts'
export { readStack, type Stack } from './stack/stack-file.ts'
export { type Replica, type RunningStack, type StackOptions, startStack } from './stack/start-stack.ts'
