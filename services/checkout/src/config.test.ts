import { readConfig } from '@cobro/runtime'
import { safeSettings, testProductionSettings, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

const safe = { ...safeSettings, HOSTED_URL: 'https://pay.example' }
const unsafe = { ...unsafeSettings, HOSTED_URL: 'http://127.0.0.1:4000' }

testProductionSettings(env => readConfig(settings, env), {
  safe,
  unsafe,
  names: [
    'ACQUIRER_API_KEY',
    'ACQUIRER_URL',
    'AMQP_URL',
    'DATABASE_URL',
    'HOSTED_URL',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ],
})
