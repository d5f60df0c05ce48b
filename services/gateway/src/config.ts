import { currencyCode } from '@cobro/contracts'
import { commaList, jsonText, keyRing, milliseconds, readConfig, serviceSettings } from '@cobro/runtime'
import ipaddr from 'ipaddr.js'
import type { JWK } from 'jose'
import { z } from 'zod'
import { parseRange } from './callers/address-ranges.ts'

const addressRanges = commaList.transform((ranges, context) => {
  if (ranges.every(range => ipaddr.isValidCIDR(range))) return ranges.map(parseRange)
  context.addIssue({ code: 'custom', message: 'expected CIDRs such as 10.0.0.0/8, several separated by commas' })
  return z.NEVER
})

const identity = z.object({
  COBRO_ENV: serviceSettings.shape.COBRO_ENV,
  API_KEY_PEPPERS: keyRing,
})

const settings = serviceSettings.extend({
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
})

const seedSettings = identity.extend({ DATABASE_URL: z.string() })
const signingKeySettings = settings.pick({ DATABASE_URL: true, ENCRYPTION_KEYS: true })

export type Config = z.output<typeof settings>
export type SeedConfig = z.output<typeof seedSettings>
export type SigningKeyConfig = z.output<typeof signingKeySettings>

export const config = () => readConfig(settings)
export const seedConfig = () => readConfig(seedSettings)
export const signingKeyConfig = () => readConfig(signingKeySettings)
