import { internalJwks } from '@cobro/http'
import {
  delayList,
  inProduction,
  internalServiceSettings,
  keyRing,
  milliseconds,
  readConfig,
  switchedOff,
} from '@cobro/runtime'
import { z } from 'zod'

const defaultRetryDelaysMs = '30000,120000,600000,3600000'

/** The settings of the service. */
export const settings = internalServiceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  ENCRYPTION_KEYS: keyRing.describe(
    'Encryption keys as id:base64 of 32 bytes, separated by commas; the first one encrypts',
  ),
  WEBHOOK_RETRY_DELAYS_MS: delayList(4)
    .prefault(defaultRetryDelaysMs)
    .meta({ formerName: 'WEBHOOK_WAITS_MS' })
    .describe('The retry delays: how long to wait before the second, third, … attempt; at most four'),
  WEBHOOK_TIMEOUT_MS: milliseconds.min(1).max(60_000).default(10_000).describe('The timeout of one attempt'),
  WEBHOOK_ENDPOINTS_PER_MERCHANT: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .describe('How many endpoints a merchant has'),
  WEBHOOK_SENDS_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe('The requests per second to all endpoints of a merchant, in each replica; more wait'),
  // Webhooks could reach internal services.
  WEBHOOKS_ALLOW_PRIVATE: inProduction(z.stringbool().default(false), switchedOff).describe(
    'Whether webhooks can go to private addresses; for local development only',
  ),
})

const retentionSettings = settings.pick({ DATABASE_URL: true }).extend({
  WEBHOOK_RETENTION_MONTHS: z.coerce.number().int().min(1).default(6),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
/** The settings of `reseal-secrets`. */
export const resealConfig = () => readConfig(settings.pick({ DATABASE_URL: true, ENCRYPTION_KEYS: true }))
/** The settings of `delete-old`. `WEBHOOK_RETENTION_MONTHS` does not count the current month. */
export const retentionConfig = () => readConfig(retentionSettings)
