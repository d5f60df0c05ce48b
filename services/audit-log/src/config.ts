import { internalJwks } from '@cobro/http'
import { readConfig, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'
import { publicKeysSetting, signingKeySetting } from './tree/checkpoint-keys.ts'

/** What it is told by its environment. */
export const settings = serviceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  AUDIT_SIGNING_KEY: signingKeySetting,
  AUDIT_PUBLIC_KEYS: publicKeysSetting,
  AUDIT_CHECKPOINT_FILE: z
    .string()
    .optional()
    .describe('A file outside the database, best on another machine, that each checkpoint is appended to'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
