import { internalJwks } from '@cobro/http'
import { commaList, commonSettings, keyRing, milliseconds, readConfig } from '@cobro/runtime'
import { z } from 'zod'

const standardWaitsMs = '30000,120000,600000,3600000'

const settings = commonSettings.extend({
  DATABASE_URL: z.string(),
  AMQP_URL: z.string(),
  AMQP_NAMESPACE: z.string().default('cobro'),
  INTERNAL_JWKS: internalJwks,
  ENCRYPTION_KEYS: keyRing,
  WEBHOOK_WAITS_MS: z
    .pipe(commaList, z.array(milliseconds as z.ZodType<number, string>).min(1))
    .prefault(standardWaitsMs),
  WEBHOOK_TIMEOUT_MS: milliseconds.default(10_000),
  WEBHOOKS_ALLOW_PRIVATE: z.stringbool().default(false),
})

const migrationSettings = z.object({
  MIGRATION_DATABASE_URL: z.string(),
  AMQP_URL: z.string(),
  AMQP_NAMESPACE: z.string().default('cobro'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
export const migrationConfig = () => readConfig(migrationSettings)
