import { currencyCode } from '@cobro/contracts'
import { internalJwks } from '@cobro/http'
import { commaList, commonSettings, readConfig } from '@cobro/runtime'
import { z } from 'zod'

const settings = commonSettings
  .extend({
    DATABASE_URL: z.string(),
    AMQP_URL: z.string(),
    AMQP_NAMESPACE: z.string().default('cobro'),
    INTERNAL_JWKS: internalJwks,
    HOSTED_URL: z.url({ protocol: /^https?$/ }),
    ACQUIRER_URL: z.url(),
    ACQUIRER_API_KEY: z.string().min(1),
    CURRENCIES: commaList.pipe(z.array(currencyCode).min(1)).default(['MXN', 'USD']),
  })
  .refine(config => config.COBRO_ENV !== 'production' || isSecureContext(config.HOSTED_URL), {
    path: ['HOSTED_URL'],
    error: 'expected https in production: browsers encrypt the card only on secure pages',
  })

const migrationSettings = z.object({
  MIGRATION_DATABASE_URL: z.string(),
  AMQP_URL: z.string(),
  AMQP_NAMESPACE: z.string().default('cobro'),
})

function isSecureContext(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1'
}

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
export const migrationConfig = () => readConfig(migrationSettings)
