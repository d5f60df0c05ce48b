import { migrate } from '@cobro/database'
import { declareBus } from '@cobro/messaging'
import { migrationConfig, reveal, runService } from '@cobro/runtime'
import { migrations } from '../migrations/all-transactions.ts'
import { config } from './config.ts'
import { runDailyCommand, runLedgerCheckCommand, runRefundTransferredCommand } from './operator-commands.ts'
import { startTransactions } from './start-transactions.ts'

await runService('transactions', {
  start: async (onStop, logger) => {
    const port = await startTransactions(config(), onStop, logger)
    logger.info({ port }, 'listening')
  },
  migrate: async (_onStop, logger) => {
    const { MIGRATION_DATABASE_URL: url, AMQP_URL, AMQP_NAMESPACE } = migrationConfig()
    logger.info({ done: await migrate({ url: reveal(url), schema: 'transactions', migrations }) }, 'migrated')
    await declareBus(reveal(AMQP_URL), AMQP_NAMESPACE)
  },
  daily: runDailyCommand,
  'ledger-check': runLedgerCheckCommand,
  'refund-transferred': runRefundTransferredCommand,
})
