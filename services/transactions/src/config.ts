import { internalJwks } from '@cobro/http'
import { readConfig, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'

const settings = serviceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  ACQUIRER_URL: z.url(),
  ACQUIRER_API_KEY: z.string().min(1),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
