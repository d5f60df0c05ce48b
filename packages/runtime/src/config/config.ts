import { environments } from '@cobro/contracts'
import { z } from 'zod'
import {
  allOf,
  amqps,
  databaseLogin,
  findUnsafeSettings,
  inProduction,
  meshConnections,
  ownPassword,
  required,
  strongKeyRing,
  unlessMesh,
  verifyFull,
} from './production-rules.ts'
import { secret } from './secret.ts'

/**
 * Reads a service's settings from the environment; empty variables count as absent. Reports all bad
 * variables at once, by name without value; in production also unsafe ones. A renamed setting is also read under its
 * deprecated `formerName`.
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv = process.env): z.output<S> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  for (const [name, setting] of Object.entries<z.ZodType>(schema.shape)) {
    const former = setting.meta()?.formerName
    if (typeof former === 'string') present[name] ??= present[former]
  }
  const result = schema.safeParse(present)
  const issues = result.error?.issues ?? []
  const unsafe = present.COBRO_ENV === 'production' ? findUnsafeSettings(schema, present) : []
  const problems = [
    ...issues.map(({ path, message }) => ({ name: path.join('.'), message })),
    ...unsafe.filter(({ name }) => !issues.some(({ path }) => path[0] === name)),
  ]
  if (result.success && problems.length === 0) return result.data
  throw new Error(
    `The configuration is invalid:\n${problems.map(({ name, message }) => `  ${name}: ${message}`).join('\n')}`,
  )
}

/** A TCP port given as text. */
export const port = z.coerce.number().int().min(0).max(65_535)

/** A number of milliseconds given as text. */
export const milliseconds = z.coerce.number().int().min(0)

/** A list of texts separated by commas. */
export const commaList = z.string().transform(text =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(Boolean),
)

/** An origin, such as `https://pay.example.com`, without a path. */
export const originUrl = z
  .url({ protocol: /^https?$/ })
  .refine(url => URL.parse(url)?.href === `${URL.parse(url)?.origin}/`, { error: 'expected an origin, without a path' })

/** A list of 1 to `max` delays in milliseconds, separated by commas. */
export function delayList(max = Number.MAX_SAFE_INTEGER) {
  const delays = z.array(milliseconds as z.ZodType<number, string>)
  return z.pipe(commaList, delays.min(1).max(max))
}

/** A text that holds JSON. */
export const jsonText = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON' })
    return z.NEVER
  }
})

/** A secret text: a key, or a URL with a password. */
export const secretText = z.string().transform(secret)

const connectTimeout = /^([1-9]|1\d|2[0-5])$/

/** What production needs of the URL of PostgreSQL. */
const safeDatabase = allOf(unlessMesh('postgresql', verifyFull), databaseLogin)

/** The URL of PostgreSQL, as a login other than the service's own. */
export const otherDatabaseUrl = inProduction(secretText, safeDatabase)

const databaseText = z
  .string()
  .refine(
    text => !URL.canParse(text) || connectTimeout.test(new URL(text).searchParams.get('connect_timeout') ?? '3'),
    {
      error: 'expected a connect_timeout of 1 to 25',
    },
  )
  .transform(secret)

/**
 * A PostgreSQL URL as the service's own role. Its `connect_timeout`, in seconds, limits how long a
 * call waits for a connection: less than the gateway waits for the call.
 */
export const databaseUrl = inProduction(databaseText, safeDatabase).describe(
  "PostgreSQL, as the service's own role; a call waits 3 s for a connection, ?connect_timeout=SECONDS changes that; production needs sslmode=verify-full",
)

const error = 'expected id:base64 of 32 bytes, several separated by commas'
const namedKey = z
  .string({ error })
  .transform(item => {
    const [id = '', bytes = ''] = item.split(':')
    return { id, bytes: Buffer.from(bytes, 'base64') }
  })
  .refine(({ id, bytes }) => id !== '' && bytes.length === 32, { error })
  .transform(({ id, bytes }) => ({ id, bytes: secret(bytes) }))
const namedKeys = commaList.pipe(z.tuple([namedKey], namedKey))

/** Named secret keys: the first encrypts, all of them decrypt. `id:base64[,id:base64]`. */
export const keyRing = inProduction(namedKeys, strongKeyRing)

export type KeyRing = z.output<typeof keyRing>

/** The settings of every service: where it listens, its environment, and its log level. */
export const commonSettings = z.object({
  COBRO_ENV: z.enum(environments).describe('sandbox or production'),
  HOST: z.string().default('127.0.0.1').describe('The address to listen on'),
  PORT: port.describe('The port to listen on'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('The lowest level that is logged'),
  DRAIN_MS: milliseconds
    .default(0)
    .describe('How long the service accepts calls after SIGTERM while its readiness check fails, in milliseconds'),
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe('The certificate chain, as PEM, to listen with https; read again when it changes'),
  TLS_KEY_FILE: z.string().optional().describe('The private key of that certificate, as PEM'),
  TLS_BY_MESH: commaList
    .pipe(z.array(z.enum(meshConnections)))
    .optional()
    .describe(
      'Connections that a service mesh or the machine encrypts, so that production allows them without TLS: services, postgresql, rabbitmq',
    ),
})

/** The kind of a deployment; money moves in production only. */
export type Environment = z.output<typeof commonSettings>['COBRO_ENV']

const safeBroker = allOf(unlessMesh('rabbitmq', amqps), ownPassword)

/** The URL of RabbitMQ, as a login beside the service's own, which is used without it. */
export const otherBrokerUrl = inProduction(secretText.optional(), (value, env) =>
  value === undefined ? undefined : safeBroker(value, env),
)

const bus = {
  AMQP_URL: inProduction(secretText, safeBroker).describe(
    "RabbitMQ as the service's own login, as amqp://user:password@host:port; production needs amqps",
  ),
  AMQP_NAMESPACE: z.string().default('cobro').describe('The prefix of exchange and queue names'),
}

/** The settings of a service with its own schema and queues. */
export const serviceSettings = commonSettings.extend({
  DATABASE_URL: databaseUrl,
  ...bus,
})

export type ServiceSettings = z.output<typeof serviceSettings>

const { TLS_CERT_FILE, TLS_KEY_FILE } = serviceSettings.shape

/** The settings of a service that only the gateway calls. In production it listens with TLS. */
export const internalServiceSettings = serviceSettings.extend({
  TLS_CERT_FILE: inProduction(TLS_CERT_FILE, unlessMesh('services', required('a certificate'))),
  TLS_KEY_FILE: inProduction(TLS_KEY_FILE, unlessMesh('services', required('a key'))),
})

const schemaMigrationSettings = z.object({ MIGRATION_DATABASE_URL: otherDatabaseUrl })

/** Reads the settings of the migrate command without a broker: the migrator's database URL. */
export const schemaMigrationConfig = (env?: NodeJS.ProcessEnv) => readConfig(schemaMigrationSettings, env)

/** Reads a migrate command's settings: the migrator's database URL and the broker. */
export const migrationConfig = (env?: NodeJS.ProcessEnv) => readConfig(schemaMigrationSettings.extend(bus), env)
