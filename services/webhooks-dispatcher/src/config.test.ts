import { readConfig } from '@cobro/runtime'
import { rejectedSettings, safeSettings, testProductionSettings, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

const rejected = (env: Record<string, string | undefined>) => rejectedSettings(() => readConfig(settings, env))

const unsafe = { ...unsafeSettings, WEBHOOKS_ALLOW_PRIVATE: 'true' }

test('by default webhooks get five attempts of ten seconds each and only go to public addresses', () => {
  expect(readConfig(settings, safeSettings)).toMatchObject({
    WEBHOOK_RETRY_DELAYS_MS: [30_000, 120_000, 600_000, 3_600_000],
    WEBHOOK_TIMEOUT_MS: 10_000,
    WEBHOOKS_ALLOW_PRIVATE: false,
  })
})

testProductionSettings(env => readConfig(settings, env), {
  unsafe,
  names: [
    'AMQP_URL',
    'DATABASE_URL',
    'ENCRYPTION_KEYS',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
    'WEBHOOKS_ALLOW_PRIVATE',
  ],
})

test.each([
  { WEBHOOK_RETRY_DELAYS_MS: '1,2,3,4,5' },
  { WEBHOOK_RETRY_DELAYS_MS: '-1' },
  { WEBHOOK_TIMEOUT_MS: '60001' },
  { WEBHOOK_TIMEOUT_MS: '0' },
])('the setting %j is rejected as out of range', wrong => {
  expect(rejected({ ...safeSettings, ...wrong })[0]).toContain(Object.keys(wrong)[0])
})
