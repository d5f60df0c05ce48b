import { readConfig } from '@cobro/runtime'
import { rejectedSettings, safeSettings, signingKeys, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

const rejected = (env: Record<string, string | undefined>) => rejectedSettings(() => readConfig(settings, env))

const safe = {
  ...safeSettings,
  AUDIT_SIGNING_KEY: signingKeys.safe,
  AUDIT_CHECKPOINT_FILE: '/checkpoints/audit.ndjson',
}
const unsafe = { ...unsafeSettings, AUDIT_SIGNING_KEY: signingKeys.unsafe }

test('production accepts safe settings and names every unsafe one at once', () => {
  expect(rejected(safe)).toEqual([])
  expect(rejected(unsafe)).toEqual([
    'AMQP_URL',
    'AUDIT_CHECKPOINT_FILE',
    'AUDIT_SIGNING_KEY',
    'DATABASE_URL',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ])
  expect(rejected({ ...unsafe, COBRO_ENV: 'sandbox' })).toEqual([])
})
