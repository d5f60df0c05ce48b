import { migrate } from '@cobro/database'
import { reveal, runService } from '@cobro/runtime'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import { config, migrationConfig } from './config.ts'
import { startAcquirerSandbox } from './start-acquirer-sandbox.ts'

await runService('acquirer-sandbox', {
  start: async (onStop, logger) => {
    const port = await startAcquirerSandbox(config(), onStop, logger)
    logger.info({ port }, 'listening')
  },
  migrate: async (_onStop, logger) => {
    const { MIGRATION_DATABASE_URL: url } = migrationConfig()
    logger.info({ done: await migrate({ url: reveal(url), schema: 'acquirer_sandbox', migrations }) }, 'migrated')
  },
})
