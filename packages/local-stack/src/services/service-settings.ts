import { join } from 'node:path'
import type { DatabaseUrls } from '../database/prepare-database.ts'
import { metricsPortOffset, type StackServiceName, services } from '../layout/stack-layout.ts'
import { compileCache } from '../layout/stack-paths.ts'
import { publicKeySet, type Secrets } from './secrets.ts'

/** What the settings of the services follow from. */
export interface StackSettings {
  dir: string
  secrets: Secrets
  ports: Record<StackServiceName, number>
  database: DatabaseUrls
  amqpUrl: string
  namespace: string
}

type Settings = Record<string, string>

/** Of the launcher's own environment, only what a program needs to run is handed down: it holds an administrator's address. */
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
]

/** The environment of one service of a local sandbox. */
export function serviceSettings(name: StackServiceName, stack: StackSettings): Settings {
  const { dir, ports } = stack
  const handedDown = inherited.flatMap(key => (process.env[key] ? [[key, process.env[key]]] : []))
  const url = (service: StackServiceName) => serviceUrl(ports, service)
  const files = { spool: join(dir, 'spool'), checkpoints: join(dir, 'audit-checkpoints.ndjson') }
  return {
    ...Object.fromEntries(handedDown),
    NODE_COMPILE_CACHE: compileCache,
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    OTEL_EXPORTER_PROMETHEUS_PORT: String(ports[name] + metricsPortOffset),
    ...sandboxSettings(name, { ...stack, url, publicUrl: url('gateway'), files }),
    // One machine is every caller here, tests and benchmarks among them.
    ...(name === 'gateway' ? unlimited : {}),
  }
}

const unlimited = Object.fromEntries(
  ['KEY', 'USER', 'ADDRESS', 'GUESS', 'LOGIN'].map(kind => [`RATE_LIMIT_${kind}`, '1000000/1']),
)

/** The address of a service on this machine. */
export const serviceUrl = (ports: Record<StackServiceName, number>, name: StackServiceName) =>
  `http://127.0.0.1:${ports[name]}`

/** What a sandbox's settings follow from, wherever its services run. */
export interface SandboxSettings extends Pick<StackSettings, 'secrets' | 'database' | 'amqpUrl' | 'namespace'> {
  /** Where the services find each other. */
  url: (name: StackServiceName) => string
  /** Where callers and payers find the gateway. */
  publicUrl: string
  /** What services keep beside the database. */
  files: { spool: string; checkpoints: string }
}

/** What a service of a sandbox is told about itself, the others and its secrets; not where it listens. */
export function sandboxSettings(name: StackServiceName, stack: SandboxSettings): Settings {
  const { secrets, database, url, publicUrl, files } = stack
  const bus = { AMQP_URL: stack.amqpUrl, AMQP_NAMESPACE: stack.namespace }
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
      // What strangers claim to be part of is not taken over.
      COBRO_TRUST_INBOUND_TRACE: 'false',
    },
    checkout: { ...behindGateway, ...acquirer, HOSTED_URL: publicUrl },
    transactions: { ...behindGateway, ...acquirer },
    'webhooks-dispatcher': {
      ...behindGateway,
      WEBHOOK_WAITS_MS: process.env.WEBHOOK_WAITS_MS || '30000,120000,600000,3600000',
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
