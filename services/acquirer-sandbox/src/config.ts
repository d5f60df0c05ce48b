import { commonSettings, keyRing, milliseconds, readConfig } from '@cobro/runtime'
import { z } from 'zod'

const settings = commonSettings.extend({
  COBRO_ENV: z.literal('sandbox', { error: 'the sandbox acquirer moves no money and starts in sandbox alone' }),
  DATABASE_URL: z.string(),
  ACQUIRER_API_KEY: z.string().min(1),
  ENCRYPTION_KEYS: keyRing,
  SLOW_ANSWER_MS: milliseconds.default(15_000),
})

const migrationSettings = z.object({ MIGRATION_DATABASE_URL: z.string() })

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
export const migrationConfig = () => readConfig(migrationSettings)
