import { internalJwks } from '@cobro/http'
import { readConfig, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'
import { publicKeysSetting, signingKeySetting } from './tree/checkpoint-keys.ts'

/** The settings of the service. */
export const settings = serviceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  AUDIT_SIGNING_KEY: signingKeySetting,
  AUDIT_PUBLIC_KEYS: publicKeysSetting,
  AUDIT_CHECKPOINT_FILE: z
    .string()
    .optional()
    .describe('A file outside the database, preferably on another machine, to append each checkpoint to'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
