import { internalJwks } from '@cobro/http'
import { commaList, keyRing, milliseconds, readConfig, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'

const standardWaitsMs = '30000,120000,600000,3600000'

const allSettings = serviceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  ENCRYPTION_KEYS: keyRing.describe('id:base64 of 32 bytes, several separated by commas; the first is in use'),
  WEBHOOK_WAITS_MS: z
    .pipe(
      commaList,
      z
        .array(milliseconds as z.ZodType<number, string>)
        .min(1)
        .max(4),
    )
    .prefault(standardWaitsMs)
    .describe('The waits before a second, third, … attempt, at most four'),
  WEBHOOK_TIMEOUT_MS: milliseconds.min(1).max(60_000).default(10_000).describe('How long one attempt may take'),
  WEBHOOKS_ALLOW_PRIVATE: z
    .stringbool()
    .default(false)
    .describe('Whether webhooks may go to private addresses: for local work alone'),
})

/** What it is told by its environment. */
export const settings = allSettings.refine(config => config.COBRO_ENV === 'sandbox' || !config.WEBHOOKS_ALLOW_PRIVATE, {
  path: ['WEBHOOKS_ALLOW_PRIVATE'],
  error: 'expected false in production: webhooks could reach what is inside',
})

const resealSettings = allSettings.pick({ DATABASE_URL: true, ENCRYPTION_KEYS: true })
const retentionSettings = allSettings.pick({ DATABASE_URL: true }).extend({
  WEBHOOK_RETENTION_MONTHS: z.coerce.number().int().min(1).default(6),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
/** What the command needs that seals secrets by the current key. */
export const resealConfig = () => readConfig(resealSettings)
/** What the command needs that deletes what is old: how many months are kept besides the current one. */
export const retentionConfig = () => readConfig(retentionSettings)
