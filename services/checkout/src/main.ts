import { migrate } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { migrationConfig, reveal, runService } from '@cobro/runtime'
import { migrations } from '../migrations/all-checkout.ts'
import { config } from './config.ts'
import { startCheckout } from './start-checkout.ts'

await runService('checkout', {
  start: async (onStop, logger) => {
    const port = await startCheckout(config(), onStop, logger)
    logger.info({ port }, 'listening')
  },
  migrate: async (_onStop, logger) => {
    const { MIGRATION_DATABASE_URL: url, AMQP_URL, AMQP_NAMESPACE } = migrationConfig()
    logger.info({ done: await migrate({ url: reveal(url), schema: 'checkout', migrations }) }, 'migrated')
    await declareBus(reveal(AMQP_URL), AMQP_NAMESPACE)
  },
})
