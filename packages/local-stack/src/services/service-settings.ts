import type { DatabaseUrls } from '../database/prepare-database.ts'
import { metricsPortOffset, type StackServiceName, services } from '../layout/stack-layout.ts'
import { compileCache, stackFiles } from '../layout/stack-paths.ts'
import type { BrokerUrls } from '../servers/broker-logins.ts'
import { publicKeySet, type Secrets } from './secrets.ts'

/** The input for the settings of the services. */
export interface StackSettings {
  dir: string
  secrets: Secrets
  ports: Record<StackServiceName, number>
  database: DatabaseUrls
  broker: BrokerUrls
  namespace: string
}

type Settings = Record<string, string>

/** The only variables that services inherit: the launcher's may include an administrator's URL. */
const inherited = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'LOG_LEVEL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'WEBHOOK_TIMEOUT_MS',
  'CURRENCIES',
  'DUAL_CONTROL',
  'DUAL_CONTROL_CENTS',
  'MFA',
  'NODE_V8_COVERAGE',
  'PROTOCOL_TIMINGS',
]

/** Returns the environment variables of a service in a local stack. */
export function serviceSettings(name: StackServiceName, stack: StackSettings): Settings {
  const { dir, ports } = stack
  const inheritedSettings = inherited.flatMap(key => (process.env[key] ? [[key, process.env[key]]] : []))
  const url = (service: StackServiceName) => serviceUrl(ports, service)
  const files = stackFiles(dir)
  return {
    ...Object.fromEntries(inheritedSettings),
    NODE_COMPILE_CACHE: compileCache,
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    OTEL_EXPORTER_PROMETHEUS_PORT: String(ports[name] + metricsPortOffset),
    ...sandboxSettings(name, { ...stack, url, publicUrl: url('gateway'), files }),
    // Tests and benchmarks send all their calls from one address.
    ...(name === 'gateway' ? unlimitedRates : {}),
  }
}

const unlimitedRates = {
  ...Object.fromEntries(
    ['KEY', 'USER', 'ADDRESS', 'GUESS', 'LOGIN', 'REJECTED'].map(kind => [`RATE_LIMIT_${kind}`, '1000000/1']),
  ),
  CONNECTIONS_PER_ADDRESS: '10000',
}

/** Returns the URL of a service on this machine. */
export const serviceUrl = (ports: Record<StackServiceName, number>, name: StackServiceName) =>
  `http://127.0.0.1:${ports[name]}`

/** The input for the settings of a sandbox, in a local stack or in Docker Compose. */
export interface SandboxSettings extends Pick<StackSettings, 'secrets' | 'database' | 'broker' | 'namespace'> {
  /** Returns the URL where other services reach a service. */
  url: (name: StackServiceName) => string
  /** The URL where callers and payers reach the gateway. */
  publicUrl: string
  /** Paths of the files that services write. */
  files: { spool: string; checkpoints: string; mail: string }
}

/** Returns the settings of a service in a sandbox, except the address and port where it listens. */
export function sandboxSettings(name: StackServiceName, stack: SandboxSettings): Settings {
  const { secrets, database, url, publicUrl, files } = stack
  // Like an outside acquirer, the sandbox does not use the broker.
  const AMQP_URL = name === 'acquirer-sandbox' ? '' : stack.broker.url(name)
  const bus = { AMQP_URL, AMQP_NAMESPACE: stack.namespace }
  const behindGateway = { ...bus, INTERNAL_JWKS: JSON.stringify(publicKeySet(secrets.internal_signing_key)) }
  const acquirer = { ACQUIRER_URL: url('acquirer-sandbox'), ACQUIRER_API_KEY: secrets.acquirer_api_key }
  const own: Record<StackServiceName, Settings> = {
    gateway: {
      ...bus,
      PUBLIC_URL: publicUrl,
      HOSTED_URL: publicUrl,
      INTERNAL_SIGNING_KEY: JSON.stringify(secrets.internal_signing_key),
      API_KEY_PEPPERS: secrets.api_key_peppers,
      ENCRYPTION_KEYS: secrets.encryption_keys.gateway,
      CHECKOUT_URL: url('checkout'),
      TRANSACTIONS_URL: url('transactions'),
      WEBHOOKS_URL: url('webhooks-dispatcher'),
      AUDIT_URL: url('audit-log'),
      SPOOL_DIR: files.spool,
      MAIL_DIR: files.mail,
      // Outside callers cannot join our traces.
      COBRO_TRUST_INBOUND_TRACE: 'false',
    },
    checkout: {
      ...behindGateway,
      ...acquirer,
      AMQP_COMMANDS_URL: stack.broker.url('checkout-commands'),
      HOSTED_URL: publicUrl,
    },
    transactions: { ...behindGateway, ...acquirer, ENCRYPTION_KEYS: secrets.encryption_keys.transactions },
    'webhooks-dispatcher': {
      ...behindGateway,
      WEBHOOK_RETRY_DELAYS_MS:
        process.env.WEBHOOK_RETRY_DELAYS_MS || process.env.WEBHOOK_WAITS_MS || '30000,120000,600000,3600000',
      ENCRYPTION_KEYS: secrets.encryption_keys['webhooks-dispatcher'],
      WEBHOOKS_ALLOW_PRIVATE: 'true',
    },
    'audit-log': {
      ...behindGateway,
      AUDIT_SIGNING_KEY: JSON.stringify(secrets.audit_signing_key),
      AUDIT_CHECKPOINT_FILE: files.checkpoints,
    },
    'acquirer-sandbox': {
      ENCRYPTION_KEYS: secrets.encryption_keys['acquirer-sandbox'],
      ACQUIRER_API_KEY: secrets.acquirer_api_key,
      NOTIFICATION_URL: `${url('gateway')}/acquirer/v1/notifications`,
    },
  }
  return { COBRO_ENV: 'sandbox', DATABASE_URL: database.url(services[name].schema), ...own[name] }
}
