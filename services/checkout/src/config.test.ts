import { readConfig } from '@cobro/runtime'
import { rejectedSettings, safeSettings, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

const rejected = (env: Record<string, string | undefined>) => rejectedSettings(() => readConfig(settings, env))

const safe = { ...safeSettings, HOSTED_URL: 'https://pay.example' }
const unsafe = { ...unsafeSettings, HOSTED_URL: 'http://127.0.0.1:4000' }

test('production accepts safe settings and names every unsafe one at once', () => {
  expect(rejected(safe)).toEqual([])
  expect(rejected(unsafe)).toEqual([
    'ACQUIRER_API_KEY',
    'ACQUIRER_URL',
    'AMQP_URL',
    'DATABASE_URL',
    'HOSTED_URL',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ])
  expect(rejected({ ...unsafe, COBRO_ENV: 'sandbox' })).toEqual([])
})
