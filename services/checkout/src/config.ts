import { internalJwks, supportedCurrencies } from '@cobro/http'
import { readConfig, secretText, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'

/** The settings, from environment variables. */
export const settings = serviceSettings
  .extend({
    INTERNAL_JWKS: internalJwks,
    HOSTED_URL: z
      .url({ protocol: /^https?$/ })
      .refine(isOrigin, { error: 'expected an origin, without a path' })
      .describe('The origin of the hosted pages'),
    ACQUIRER_URL: z.url().describe('The URL of the acquirer'),
    ACQUIRER_API_KEY: secretText.describe('The API key for the acquirer'),
    CURRENCIES: supportedCurrencies,
  })
  .refine(config => config.COBRO_ENV !== 'production' || isSecureContext(config.HOSTED_URL), {
    path: ['HOSTED_URL'],
    error: 'expected https in production: browsers encrypt the card only on secure pages',
  })

function isOrigin(url: string): boolean {
  const { origin, href } = new URL(url)
  return href === `${origin}/`
}

function isSecureContext(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1'
}

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
