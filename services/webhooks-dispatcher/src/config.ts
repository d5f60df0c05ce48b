import { internalJwks } from '@cobro/http'
import { commaList, keyRing, milliseconds, readConfig, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'

const standardWaitsMs = '30000,120000,600000,3600000'

const settings = serviceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  ENCRYPTION_KEYS: keyRing,
  WEBHOOK_WAITS_MS: z
    .pipe(commaList, z.array(milliseconds as z.ZodType<number, string>).min(1))
    .prefault(standardWaitsMs),
  WEBHOOK_TIMEOUT_MS: milliseconds.default(10_000),
  WEBHOOKS_ALLOW_PRIVATE: z.stringbool().default(false),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
