import { environments } from '@cobro/contracts'
import { z } from 'zod'
import { secret } from './secret.ts'

/**
 * Reads a service's settings from the environment; empty variables count as absent. Reports all bad
 * variables at once, by name without value. A renamed setting is also read under its deprecated `formerName`.
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv = process.env): z.output<S> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  for (const [name, setting] of Object.entries<z.ZodType>(schema.shape)) {
    const former = setting.meta()?.formerName
    if (typeof former === 'string') present[name] ??= present[former]
  }
  const result = schema.safeParse(present)
  if (result.success) return result.data
  const problems = result.error.issues.map(issue => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The configuration is invalid:\n${problems.join('\n')}`)
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

/**
 * A PostgreSQL URL as the service's own role. Its `connect_timeout`, in seconds, limits how long a
 * call waits for a connection: less than the gateway waits for the call.
 */
export const databaseUrl = z
  .string()
  .refine(
    text => !URL.canParse(text) || connectTimeout.test(new URL(text).searchParams.get('connect_timeout') ?? '3'),
    {
      error: 'expected a connect_timeout of 1 to 25',
    },
  )
  .transform(secret)
  .describe(
    "PostgreSQL, as the service's own role; a call waits 3 s for a connection, ?connect_timeout=SECONDS changes that",
  )

/** Named secret keys: the first encrypts, all of them decrypt. `id:base64[,id:base64]`. */
export const keyRing = commaList.transform((items, context) => {
  const keys = items.map(item => ({
    id: item.split(':')[0] ?? '',
    bytes: Buffer.from(item.split(':')[1] ?? '', 'base64'),
  }))
  if (keys.length > 0 && keys.every(({ id, bytes }) => id !== '' && bytes.length === 32)) {
    return keys.map(({ id, bytes }) => ({ id, bytes: secret(bytes) }))
  }
  context.addIssue({ code: 'custom', message: 'expected id:base64 of 32 bytes, several separated by commas' })
  return z.NEVER
})

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
})

/** The kind of a deployment; money moves in production only. */
export type Environment = z.output<typeof commonSettings>['COBRO_ENV']

const bus = {
  AMQP_URL: secretText.describe('RabbitMQ, as amqp://user:password@host:port'),
  AMQP_NAMESPACE: z.string().default('cobro').describe('The prefix of exchange and queue names'),
}

/** The settings of a service with its own schema and queues. */
export const serviceSettings = commonSettings.extend({
  DATABASE_URL: databaseUrl,
  ...bus,
})

export type ServiceSettings = z.output<typeof serviceSettings>

const schemaMigrationSettings = z.object({ MIGRATION_DATABASE_URL: secretText })

/** Reads the settings of the migrate command without a broker: the migrator's database URL. */
export const schemaMigrationConfig = () => readConfig(schemaMigrationSettings)

/** Reads a migrate command's settings: the migrator's database URL and the broker. */
export const migrationConfig = () => readConfig(schemaMigrationSettings.extend(bus))
