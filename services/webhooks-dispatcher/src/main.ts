import { migrate } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { migrationConfig, runService } from '@cobro/runtime'
import { migrations } from '../migrations/all-webhooks.ts'
import { config } from './config.ts'
import { startWebhooksDispatcher } from './start-webhooks-dispatcher.ts'

await runService('webhooks-dispatcher', {
  start: async (onStop, logger) => {
    const port = await startWebhooksDispatcher(config(), onStop, logger)
    logger.info({ port }, 'listening')
  },
  migrate: async (_onStop, logger) => {
    const { MIGRATION_DATABASE_URL: url, AMQP_URL, AMQP_NAMESPACE } = migrationConfig()
    logger.info({ done: await migrate({ url, schema: 'webhooks', migrations }) }, 'migrated')
    await declareBus(AMQP_URL, AMQP_NAMESPACE)
  },
})
