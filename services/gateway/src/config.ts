import { currencyCode } from '@cobro/contracts'
import { commaList, jsonText, keyRing, milliseconds, readConfig, serviceSettings } from '@cobro/runtime'
import ipaddr from 'ipaddr.js'
import type { JWK } from 'jose'
import { z } from 'zod'
import { parseRange } from './callers/address-ranges.ts'
import { defaultLimits, limitText } from './limits/limit-settings.ts'

const addressRanges = commaList.transform((ranges, context) => {
  if (ranges.every(range => ipaddr.isValidCIDR(range))) return ranges.map(parseRange)
  context.addIssue({ code: 'custom', message: 'expected CIDRs such as 10.0.0.0/8, several separated by commas' })
  return z.NEVER
})

/** Origins as browsers write them: no path, no wildcard. Outside of the sandbox only what came over TLS may call. */
const origins = commaList.transform((items, context) => {
  if (items.every(item => /^https?:\/\//.test(item) && URL.parse(item)?.origin === item)) return items
  context.addIssue({ code: 'custom', message: 'expected origins such as https://dashboard.example.com' })
  return z.NEVER
})

const identity = z.object({
  COBRO_ENV: serviceSettings.shape.COBRO_ENV,
  API_KEY_PEPPERS: keyRing,
})

const allSettings = serviceSettings.extend({
  ...identity.shape,
  PUBLIC_URL: z.url(),
  INTERNAL_SIGNING_KEY: jsonText.transform(key => key as JWK),
  ENCRYPTION_KEYS: keyRing,
  CHECKOUT_URL: z.url(),
  TRANSACTIONS_URL: z.url(),
  WEBHOOKS_URL: z.url(),
  AUDIT_URL: z.url(),
  UPSTREAM_TIMEOUT_MS: milliseconds.default(30_000),
  CURRENCIES: commaList.pipe(z.array(currencyCode).min(1)).default(['MXN', 'USD']),
  SPOOL_DIR: z.string(),
  TRUSTED_PROXIES: addressRanges.default([]),
  CORS_ORIGINS: origins.default([]),
  RATE_LIMIT_KEY: limitText.default(defaultLimits.key),
  RATE_LIMIT_USER: limitText.default(defaultLimits.user),
  RATE_LIMIT_ADDRESS: limitText.default(defaultLimits.address),
  RATE_LIMIT_LOGIN: limitText.default(defaultLimits.login),
})

const settings = allSettings.refine(
  config => config.COBRO_ENV === 'sandbox' || config.CORS_ORIGINS.every(origin => origin.startsWith('https:')),
  { path: ['CORS_ORIGINS'], error: 'expected https in production' },
)

const seedSettings = identity.extend({ DATABASE_URL: z.string() })
const signingKeySettings = allSettings.pick({ DATABASE_URL: true, ENCRYPTION_KEYS: true })

export type Config = z.output<typeof settings>
export type SeedConfig = z.output<typeof seedSettings>
export type SigningKeyConfig = z.output<typeof signingKeySettings>

export const config = () => readConfig(settings)
export const seedConfig = () => readConfig(seedSettings)
export const signingKeyConfig = () => readConfig(signingKeySettings)
