import { supportedCurrencies } from '@cobro/http'
import {
  commaList,
  httpsUrls,
  inProduction,
  isFalse,
  jsonText,
  keyRing,
  milliseconds,
  originUrl,
  proxies,
  readConfig,
  secret,
  serviceSettings,
  strongJwks,
  unlessMesh,
} from '@cobro/runtime'
import ipaddr from 'ipaddr.js'
import type { JWK } from 'jose'
import { z } from 'zod'
import { mailSender, smtpUrl } from './mail/mail-settings.ts'
import { parseIpRange } from './network/ip-ranges.ts'
import { defaultRateLimits, rateLimit } from './rate-limits/rate-limit-settings.ts'

const addressRanges = commaList.transform((ranges, context) => {
  if (ranges.every(range => ipaddr.isValidCIDR(range))) return ranges.map(parseIpRange)
  context.addIssue({ code: 'custom', message: 'expected CIDRs such as 10.0.0.0/8, several separated by commas' })
  return z.NEVER
})

/** CIDRs, or `none`: production needs to know that there is no proxy. */
const trustedProxies = z
  .string()
  .transform(text => (text.trim() === 'none' ? '' : text))
  .pipe(addressRanges)
  .default([])

/** Origins as browsers send them, without path or wildcard. */
const origins = commaList.transform((items, context) => {
  if (items.every(item => /^https?:\/\//.test(item) && URL.parse(item)?.origin === item)) return items
  context.addIssue({ code: 'custom', message: 'expected origins such as https://dashboard.example.com' })
  return z.NEVER
})

/** The URL of a trace, with a place for its id. */
const traceUrl = z.url({ protocol: /^https?$/ }).includes('{trace_id}', { error: 'expected {trace_id} in the URL' })

const identity = z.object({
  COBRO_ENV: serviceSettings.shape.COBRO_ENV,
  API_KEY_PEPPERS: keyRing.describe(
    'id:base64 of 32 bytes, several separated by commas; the first is used for new values',
  ),
})

/** A service behind the gateway. */
const upstream = inProduction(z.url(), unlessMesh('services', httpsUrls))

/** The settings of the gateway. */
export const settings = serviceSettings.extend({
  ...identity.shape,
  PUBLIC_URL: inProduction(z.url(), httpsUrls).describe(
    'The public URL of the API; also the issuer of access tokens; https in production',
  ),
  HOSTED_URL: inProduction(originUrl.optional(), httpsUrls).describe(
    'The origin of the hosted pages, as in checkout; by default that of PUBLIC_URL; https in production',
  ),
  TRACE_URL: traceUrl
    .optional()
    .describe('Where operators look at a trace, such as https://jaeger.example.com/trace/{trace_id}'),
  INTERNAL_SIGNING_KEY: inProduction(
    jsonText.transform(key => secret(key as JWK)),
    strongJwks,
  ).describe('The private Ed25519 key (a JWK with a kid) that signs the caller identity for the services'),
  ENCRYPTION_KEYS: keyRing.describe(
    'id:base64 of 32 bytes, several separated by commas; the first is used for new values',
  ),
  CHECKOUT_URL: upstream.describe('The checkout service; https in production'),
  TRANSACTIONS_URL: upstream.describe('The transactions service; https in production'),
  WEBHOOKS_URL: upstream.describe('The webhooks-dispatcher; https in production'),
  AUDIT_URL: upstream.describe('The audit log; https in production'),
  UPSTREAM_TIMEOUT_MS: milliseconds
    .default(30_000)
    .describe('How long a service may take to respond; calls may ask to wait for 20 s'),
  CURRENCIES: supportedCurrencies,
  MFA: z
    .enum(['optional', 'operators', 'all'])
    .optional()
    .describe('Who has to have a second factor; by default operators, in the sandbox optional'),
  DASHBOARD_IDLE_MINUTES: z.coerce
    .number()
    .int()
    // Access tokens last 15 minutes, and a page refreshes its login before they expire.
    .min(20)
    .max(1_440)
    .default(30)
    .describe('A login to the dashboard ends after so many minutes without a refresh, which follows activity'),
  DASHBOARD_MAX_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(720)
    .default(12)
    .describe('A login to the dashboard ends after so many hours in any case'),
  SMTP_URL: smtpUrl
    .optional()
    .describe('The mail server, as smtp://user:password@host:port; unset: no mails. Production requires TLS of it'),
  MAIL_FROM: inProduction(mailSender.optional(), (value, env) =>
    env.SMTP_URL && value === undefined ? 'expected the sender of mails' : undefined,
  ).describe('The sender of mails, as an address or Name <address>; by default no-reply at the host of PUBLIC_URL'),
  MAIL_DIR: inProduction(z.string().optional(), value => (value === undefined ? undefined : 'expected none')).describe(
    'A folder to write mails to instead of sending them; for local development only',
  ),
  MAIL_LANGUAGE: z
    .enum(['es', 'en'])
    .default('es')
    .describe("The language of mails to operators; other users get that of their merchant's country"),
  COBRO_TRUST_INBOUND_TRACE: inProduction(z.string().optional(), isFalse).describe(
    'Whether callers choose the trace in which they are recorded; false in production',
  ),
  SPOOL_DIR: z.string().describe('A directory on persistent storage, a separate one for each replica'),
  TRUSTED_PROXIES: inProduction(trustedProxies, proxies).describe(
    'CIDRs of proxies whose X-Forwarded-For is trusted, or none; required in production',
  ),
  CORS_ORIGINS: inProduction(origins.default([]), httpsUrls).describe(
    'Origins from which browsers may call /api with a token (CORS); https in production',
  ),
  RATE_LIMIT_KEY: rateLimit.prefault(defaultRateLimits.key).describe('Calls/seconds of one API key, in each replica'),
  RATE_LIMIT_USER: rateLimit.prefault(defaultRateLimits.user).describe('Calls/seconds of one user'),
  RATE_LIMIT_ADDRESS: rateLimit
    .prefault(defaultRateLimits.address)
    .describe('Calls/seconds of one address without a credential'),
  RATE_LIMIT_GUESS: rateLimit.prefault(defaultRateLimits.guess).describe('Invalid credentials/seconds of one address'),
  RATE_LIMIT_LOGIN: rateLimit.prefault(defaultRateLimits.login).describe('Logins/seconds of one address'),
  RATE_LIMIT_REJECTED: rateLimit
    .prefault(defaultRateLimits.rejected)
    .describe('Rejected calls/seconds of one address, beyond which its connections are closed'),
  CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(500)
    .describe('Open connections of one address, other than a trusted proxy'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
export const seedConfig = () => readConfig(identity.extend({ DATABASE_URL: serviceSettings.shape.DATABASE_URL }))
export const resyncConfig = () => readConfig(settings.pick({ DATABASE_URL: true }))
export const signingKeyConfig = () => readConfig(settings.pick({ DATABASE_URL: true, ENCRYPTION_KEYS: true }))
