import { parseArgs } from 'node:util'
import { benchAudit } from './bench-audit.ts'
import { benchAuditReads } from './bench-audit-reads.ts'
import { benchFeed } from './bench-feed.ts'
import { benchFullTables } from './bench-full-tables.ts'
import { benchGateway } from './bench-gateway.ts'
import { benchHostile } from './bench-hostile.ts'
import { benchPayments } from './bench-payments.ts'
import { benchSeedTransactions } from './bench-seed-transactions.ts'
import { benchSoak } from './bench-soak.ts'
import { benchSpool } from './bench-spool.ts'
import { withCleanup } from './bench-stack.ts'
import { benchTransactions } from './bench-transactions.ts'
import { benchWebhooks } from './bench-webhooks.ts'

const benches = {
  audit: benchAudit,
  'audit-reads': benchAuditReads,
  feed: benchFeed,
  'full-tables': benchFullTables,
  gateway: benchGateway,
  hostile: benchHostile,
  payments: benchPayments,
  'seed-transactions': benchSeedTransactions,
  soak: benchSoak,
  spool: benchSpool,
  transactions: benchTransactions,
  webhooks: benchWebhooks,
}
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'boolean', default: false },
    events: { type: 'string', default: '100000' },
    charges: { type: 'string', default: '10000' },
    payments: { type: 'string', default: '200000' },
    seconds: { type: 'string' },
    part: { type: 'string', default: 'all' },
    rows: { type: 'string', default: '5000000' },
    'merchant-rows': { type: 'string', default: '1000000' },
    merchant: { type: 'string' },
    database: { type: 'string' },
  },
})
const [name = ''] = positionals

if (!Object.hasOwn(benches, name)) {
  process.stderr.write(`Name a benchmark: ${Object.keys(benches).join(', ')}.\n`)
  process.exit(1)
}
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
try {
  await withCleanup(onStop =>
    benches[name as keyof typeof benches]({
      ...values,
      events: Number(values.events),
      seconds: values.seconds === undefined ? undefined : Number(values.seconds),
      charges: Number(values.charges),
      payments: Number(values.payments),
      rows: Number(values.rows),
      merchantRows: Number(values['merchant-rows']),
      merchant: values.merchant,
      database: values.database,
      signal: ending.signal,
      onStop,
    }),
  )
} catch (error) {
  if (!ending.signal.aborted) throw error
  process.exit(1)
}
process.exit(0)
