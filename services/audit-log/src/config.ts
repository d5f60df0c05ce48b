import { internalJwks } from '@cobro/http'
import { inProduction, internalServiceSettings, readConfig, required } from '@cobro/runtime'
import { z } from 'zod'
import { publicKeysSetting, signingKeySetting } from './tree/checkpoint-keys.ts'

/** The settings of the service. */
export const settings = internalServiceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  AUDIT_SIGNING_KEY: signingKeySetting,
  AUDIT_PUBLIC_KEYS: publicKeysSetting,
  AUDIT_CHECKPOINT_FILE: inProduction(z.string().optional(), required('a file outside the database')).describe(
    'A file outside the database, preferably on another machine, to append each checkpoint to; required in production',
  ),
  AUDIT_SIZE_BUDGET_GB: z.coerce
    .number()
    .positive()
    .default(100)
    .describe('The size in GB that the log may reach in PostgreSQL; an alert fires 30 days before it does'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
