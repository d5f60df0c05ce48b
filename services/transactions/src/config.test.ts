import { readConfig } from '@cobro/runtime'
import { safeSettings, testProductionSettings, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

testProductionSettings(env => readConfig(settings, env), {
  safe: { ...safeSettings, BANK_CHANGE_HOLD_HOURS: '1' },
  unsafe: { ...unsafeSettings, BANK_CHANGE_HOLD_HOURS: '0' },
  names: [
    'ACQUIRER_API_KEY',
    'ACQUIRER_URL',
    'AMQP_URL',
    'BANK_CHANGE_HOLD_HOURS',
    'DATABASE_URL',
    'ENCRYPTION_KEYS',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ],
})
