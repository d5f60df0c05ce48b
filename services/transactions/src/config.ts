import { internalJwks, supportedCurrencies } from '@cobro/http'
import {
  httpsUrls,
  inProduction,
  internalServiceSettings,
  keyRing,
  readConfig,
  secretText,
  strongToken,
} from '@cobro/runtime'
import { z } from 'zod'

/** The environment variables of the service. */
export const settings = internalServiceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  ACQUIRER_URL: inProduction(z.url(), httpsUrls).describe('The acquirer; https in production'),
  ACQUIRER_API_KEY: inProduction(secretText, strongToken).describe('The secret that authenticates us to the acquirer'),
  BANK_CHANGE_HOLD_HOURS: inProduction(z.coerce.number().int().min(0).max(720).optional(), value =>
    value !== undefined && Number(value) < 1 ? 'expected at least 1' : undefined,
  ).describe('How long a new bank account for payouts waits until it takes effect; by default 72, in the sandbox 0'),
  DUAL_CONTROL: z
    .enum(['on', 'off'])
    .optional()
    .describe('Whether calls of operators need the approval of a second one; by default on, in the sandbox off'),
  DUAL_CONTROL_CENTS: z.coerce
    .number()
    .int()
    .min(0)
    .default(5_000_000)
    .describe('Above which amount calls that move money need an approval, in hundredths of the currency'),
  APPROVER_AGE_HOURS: inProduction(z.coerce.number().int().min(0).max(720).optional(), value =>
    value !== undefined && Number(value) < 1 ? 'expected at least 1' : undefined,
  ).describe('How long an approver and its credentials must have existed; by default 72, in the sandbox 0'),
  ENCRYPTION_KEYS: keyRing.describe(
    'The keys that encrypt account numbers: id:base64 of 32 bytes, several separated by commas; the first is in use',
  ),
  CURRENCIES: supportedCurrencies,
  CONFIRMED_REFUND_CENTS: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000_000)
    .describe('Above which amount users confirm their login to refund, in hundredths of the currency'),
  SUPPORT_REFUND_CENTS: z.coerce
    .number()
    .int()
    .min(0)
    .default(100_000)
    .describe('What operators with the access support may refund, in hundredths of the currency'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
