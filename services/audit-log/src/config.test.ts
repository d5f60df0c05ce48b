import { readConfig } from '@cobro/runtime'
import { safeSettings, signingKeys, testProductionSettings, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

const safe = {
  ...safeSettings,
  AUDIT_SIGNING_KEY: signingKeys.safe,
  AUDIT_CHECKPOINT_FILE: '/checkpoints/audit.ndjson',
}
const unsafe = { ...unsafeSettings, AUDIT_SIGNING_KEY: signingKeys.unsafe }

testProductionSettings(env => readConfig(settings, env), {
  safe,
  unsafe,
  names: [
    'AMQP_URL',
    'AUDIT_CHECKPOINT_FILE',
    'AUDIT_SIGNING_KEY',
    'DATABASE_URL',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ],
})
