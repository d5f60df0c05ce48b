import { migrate } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { migrationConfig, reveal, runService } from '@cobro/runtime'
import { migrations } from '../migrations/all-audit-log.ts'
import { config } from './config.ts'
import { retireCommand } from './retire-command.ts'
import { startAuditLog } from './start-audit-log.ts'
import { verifyCommand } from './verify-command.ts'

await runService('audit-log', {
  start: async (onStop, logger) => {
    const port = await startAuditLog(config(), onStop, logger)
    logger.info({ port }, 'listening')
  },
  migrate: async (_onStop, logger) => {
    const { MIGRATION_DATABASE_URL: url, AMQP_URL, AMQP_NAMESPACE } = migrationConfig()
    logger.info({ done: await migrate({ url: reveal(url), schema: 'audit', migrations }) }, 'migrated')
    await declareBus(reveal(AMQP_URL), AMQP_NAMESPACE)
  },
  retire: retireCommand,
  verify: onStop => verifyCommand(onStop, process.argv.slice(3)),
})
