import { internalJwks, takenCurrencies } from '@cobro/http'
import { readConfig, secretText, serviceSettings } from '@cobro/runtime'
import { z } from 'zod'

/** What it is told by its environment. */
export const settings = serviceSettings
  .extend({
    INTERNAL_JWKS: internalJwks,
    HOSTED_URL: z
      .url({ protocol: /^https?$/ })
      .refine(isOrigin, { error: 'expected an origin, without a path' })
      .describe('The origin of the hosted pages'),
    ACQUIRER_URL: z.url().describe('The acquirer'),
    ACQUIRER_API_KEY: secretText.describe('The secret that the acquirer knows us by'),
    CURRENCIES: takenCurrencies,
  })
  .refine(config => config.COBRO_ENV !== 'production' || isSecureContext(config.HOSTED_URL), {
    path: ['HOSTED_URL'],
    error: 'expected https in production: browsers encrypt the card only on secure pages',
  })

function isOrigin(address: string): boolean {
  const { origin, href } = new URL(address)
  return href === `${origin}/`
}

function isSecureContext(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1'
}

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
