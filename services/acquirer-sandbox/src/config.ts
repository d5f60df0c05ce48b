import { commonSettings, databaseUrl, delayList, keyRing, milliseconds, readConfig, secretText } from '@cobro/runtime'
import { z } from 'zod'

const defaultRetryDelaysMs = '1000,5000,30000,120000,600000,3600000'

/** The settings, from environment variables. */
export const settings = commonSettings.extend({
  COBRO_ENV: z
    .literal('sandbox', { error: 'the sandbox acquirer moves no money and starts in sandbox alone' })
    .describe('sandbox: it starts in no other environment'),
  DATABASE_URL: databaseUrl,
  ACQUIRER_API_KEY: secretText.describe('The API key of its callers'),
  ENCRYPTION_KEYS: keyRing.describe('id:base64 of 32 bytes, several separated by commas; the first is in use'),
  NOTIFICATION_URL: z.url({ protocol: /^https?$/ }).describe('The URL that it posts notifications to'),
  NOTIFICATION_RETRY_DELAYS_MS: delayList()
    .prefault(defaultRetryDelaysMs)
    .meta({ formerName: 'NOTIFICATION_WAITS_MS' })
    .describe('The retry delays of a notification; the last one is repeated'),
  NOTIFICATION_TIMEOUT_MS: milliseconds.default(10_000).describe('The timeout of one notification request'),
  SLOW_ANSWER_MS: milliseconds.default(15_000).describe('The delay of the response to the slow card'),
  REFUND_DELAY_MS: milliseconds.default(1_000).describe('How long a refund takes'),
  DISPUTE_DELAY_MS: milliseconds.default(5_000).describe('How long after its charge the disputed card opens a dispute'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
