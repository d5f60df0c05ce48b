import { z } from 'zod'
import { secret } from './secret.ts'

/**
 * Reads a service's settings from the environment. Every bad variable is reported at once, by name and without its value.
 * A variable that is set to nothing counts as absent.
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv = process.env): z.output<S> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = schema.safeParse(present)
  if (result.success) return result.data
  const faults = result.error.issues.map(issue => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The configuration is not usable:\n${faults.join('\n')}`)
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

/** A text that holds JSON. */
export const jsonText = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON' })
    return z.NEVER
  }
})

/** A text that nobody is to see: a key, or an address that holds a password. */
export const secretText = z.string().transform(secret)

/** Named secret keys, the first of them in use, the others still good for reading: `id:base64[,id:base64]`. */
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

/** What every service is told: where it listens, which environment it is, how loud it logs. */
export const commonSettings = z.object({
  COBRO_ENV: z.enum(['sandbox', 'production']).describe('sandbox or production'),
  HOST: z.string().default('127.0.0.1').describe('The address to listen on'),
  PORT: port.describe('The port to listen on'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('The least severe lines that are logged'),
  DRAIN_MS: milliseconds
    .default(0)
    .describe('How long it still takes calls once it is told to stop, while it says that it is not ready'),
})

const bus = {
  AMQP_URL: secretText.describe('RabbitMQ, as amqp://user:password@host:port'),
  AMQP_NAMESPACE: z.string().default('cobro').describe('What the names of exchanges and queues begin with'),
}

/** What a service with a schema of its own and a place on the bus is told besides. */
export const serviceSettings = commonSettings.extend({
  DATABASE_URL: secretText.describe("PostgreSQL, as the service's own role"),
  ...bus,
})

const migrationSettings = z.object({ MIGRATION_DATABASE_URL: secretText, ...bus })

/** Reads what the migrate command of a service needs: the migrator's way into the database, and the bus. */
export const migrationConfig = () => readConfig(migrationSettings)
