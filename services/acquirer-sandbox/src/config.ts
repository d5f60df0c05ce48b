import { commaList, commonSettings, keyRing, milliseconds, readConfig } from '@cobro/runtime'
import { z } from 'zod'

const standardWaitsMs = '1000,5000,30000,120000,600000,3600000'

/** What it is told by its environment. */
export const settings = commonSettings.extend({
  COBRO_ENV: z.literal('sandbox', { error: 'the sandbox acquirer moves no money and starts in sandbox alone' }),
  DATABASE_URL: z.string(),
  ACQUIRER_API_KEY: z.string().min(1),
  ENCRYPTION_KEYS: keyRing,
  NOTIFICATION_URL: z.url({ protocol: /^https?$/ }),
  NOTIFICATION_WAITS_MS: z
    .pipe(commaList, z.array(milliseconds as z.ZodType<number, string>).min(1))
    .prefault(standardWaitsMs),
  NOTIFICATION_TIMEOUT_MS: milliseconds.default(10_000),
  SLOW_ANSWER_MS: milliseconds.default(15_000),
  REFUND_DELAY_MS: milliseconds.default(1_000),
  DISPUTE_DELAY_MS: milliseconds.default(5_000),
})

const migrationSettings = z.object({ MIGRATION_DATABASE_URL: z.string() })

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
export const migrationConfig = () => readConfig(migrationSettings)
