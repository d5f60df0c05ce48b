import { readConfig } from '@cobro/runtime'
import { testProductionSettings } from '@cobro/testing'
import { settings } from './config.ts'

testProductionSettings(env => readConfig(settings, env), {
  names: [
    'ACQUIRER_API_KEY',
    'ACQUIRER_URL',
    'AMQP_URL',
    'DATABASE_URL',
    'INTERNAL_JWKS',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ],
})
