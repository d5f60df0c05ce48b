import { supportedCurrencies } from '@cobro/http'
import { commaList, jsonText, keyRing, milliseconds, readConfig, secret, serviceSettings } from '@cobro/runtime'
import ipaddr from 'ipaddr.js'
import type { JWK } from 'jose'
import { z } from 'zod'
import { parseIpRange } from './network/ip-ranges.ts'
import { defaultRateLimits, rateLimit } from './rate-limits/rate-limit-settings.ts'

const addressRanges = commaList.transform((ranges, context) => {
  if (ranges.every(range => ipaddr.isValidCIDR(range))) return ranges.map(parseIpRange)
  context.addIssue({ code: 'custom', message: 'expected CIDRs such as 10.0.0.0/8, several separated by commas' })
  return z.NEVER
})

/** Origins as browsers send them, without path or wildcard. Production accepts only https. */
const origins = commaList.transform((items, context) => {
  if (items.every(item => /^https?:\/\//.test(item) && URL.parse(item)?.origin === item)) return items
  context.addIssue({ code: 'custom', message: 'expected origins such as https://dashboard.example.com' })
  return z.NEVER
})

const identity = z.object({
  COBRO_ENV: serviceSettings.shape.COBRO_ENV,
  API_KEY_PEPPERS: keyRing.describe(
    'id:base64 of 32 bytes, several separated by commas; the first is used for new values',
  ),
})

const allSettings = serviceSettings.extend({
  ...identity.shape,
  PUBLIC_URL: z.url().describe('The public URL of the API; also the issuer of access tokens'),
  INTERNAL_SIGNING_KEY: jsonText
    .transform(key => secret(key as JWK))
    .describe('The private Ed25519 key (a JWK with a kid) that signs the caller identity for the services'),
  ENCRYPTION_KEYS: keyRing.describe(
    'id:base64 of 32 bytes, several separated by commas; the first is used for new values',
  ),
  CHECKOUT_URL: z.url().describe('The checkout service'),
  TRANSACTIONS_URL: z.url().describe('The transactions service'),
  WEBHOOKS_URL: z.url().describe('The webhooks-dispatcher'),
  AUDIT_URL: z.url().describe('The audit log'),
  UPSTREAM_TIMEOUT_MS: milliseconds.default(30_000).describe('How long a service may take to respond'),
  CURRENCIES: supportedCurrencies,
  SPOOL_DIR: z.string().describe('A directory on persistent storage, a separate one for each replica'),
  TRUSTED_PROXIES: addressRanges.default([]).describe('CIDRs of proxies whose X-Forwarded-For is trusted'),
  CORS_ORIGINS: origins.default([]).describe('Origins from which browsers may call /api with a token (CORS)'),
  RATE_LIMIT_KEY: rateLimit.prefault(defaultRateLimits.key).describe('Calls/seconds of one API key, in each replica'),
  RATE_LIMIT_USER: rateLimit.prefault(defaultRateLimits.user).describe('Calls/seconds of one user'),
  RATE_LIMIT_ADDRESS: rateLimit
    .prefault(defaultRateLimits.address)
    .describe('Calls/seconds of one address without a credential'),
  RATE_LIMIT_GUESS: rateLimit.prefault(defaultRateLimits.guess).describe('Invalid credentials/seconds of one address'),
  RATE_LIMIT_LOGIN: rateLimit.prefault(defaultRateLimits.login).describe('Logins/seconds of one address'),
})

export const settings = allSettings.refine(
  config => config.COBRO_ENV === 'sandbox' || config.CORS_ORIGINS.every(origin => origin.startsWith('https:')),
  { path: ['CORS_ORIGINS'], error: 'expected https in production' },
)

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
export const seedConfig = () => readConfig(identity.extend({ DATABASE_URL: serviceSettings.shape.DATABASE_URL }))
export const resyncConfig = () => readConfig(allSettings.pick({ DATABASE_URL: true }))
export const signingKeyConfig = () => readConfig(allSettings.pick({ DATABASE_URL: true, ENCRYPTION_KEYS: true }))
