import { readConfig } from '@cobro/runtime'
import { safeSettings, testProductionSettings, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

testProductionSettings(env => readConfig(settings, env), {
  safe: { ...safeSettings, APPROVER_AGE_HOURS: '1', BANK_CHANGE_HOLD_HOURS: '1' },
  unsafe: { ...unsafeSettings, APPROVER_AGE_HOURS: '0', BANK_CHANGE_HOLD_HOURS: '0' },
  names: [
    'ACQUIRER_API_KEY',
    'ACQUIRER_URL',
    'AMQP_URL',
    'APPROVER_AGE_HOURS',
    'BANK_CHANGE_HOLD_HOURS',
    'DATABASE_URL',
    'ENCRYPTION_KEYS',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ],
})
