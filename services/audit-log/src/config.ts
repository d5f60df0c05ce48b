import { internalJwks } from '@cobro/http'
import { commonSettings, readConfig } from '@cobro/runtime'
import { z } from 'zod'

const settings = commonSettings.extend({
  DATABASE_URL: z.string(),
  AMQP_URL: z.string(),
  AMQP_NAMESPACE: z.string().default('cobro'),
  INTERNAL_JWKS: internalJwks,
})

const migrationSettings = z.object({
  MIGRATION_DATABASE_URL: z.string(),
  AMQP_URL: z.string(),
  AMQP_NAMESPACE: z.string().default('cobro'),
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
export const migrationConfig = () => readConfig(migrationSettings)
