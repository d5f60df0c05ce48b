import { internalJwks, supportedCurrencies } from '@cobro/http'
import { readConfig, secretText, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'

/** The environment variables of the service. */
export const settings = serviceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  ACQUIRER_URL: z.url().describe('The acquirer'),
  ACQUIRER_API_KEY: secretText.describe('The secret that authenticates us to the acquirer'),
  CURRENCIES: supportedCurrencies,
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
