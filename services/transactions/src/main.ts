import { runService } from '@cobro/runtime'
import { demoCommand, lifecycleCommands, payerCommands } from '@cobro/service'
import { migrations } from '../migrations/all-transactions.ts'
import { config } from './config.ts'
import { loadDemoPayments } from './demo/load-demo-payments.ts'
import { entities } from './entities.ts'
import { runDailyCommand, runLedgerCheckCommand, runRefundTransferredCommand } from './operator-commands.ts'
import { transactionsPayerData } from './personal-data/transactions-payer-data.ts'
import { schema, startTransactions } from './start-transactions.ts'

await runService('transactions', {
  ...lifecycleCommands({
    schema,
    queues: ['transactions.events', 'transactions.commands'],
    migrations,
    start: (onStop, logger) => startTransactions(config(), onStop, logger),
  }),
  daily: runDailyCommand,
  'ledger-check': runLedgerCheckCommand,
  'refund-transferred': runRefundTransferredCommand,
  ...demoCommand({ schema, entities, load: loadDemoPayments }),
  ...payerCommands(transactionsPayerData),
})
