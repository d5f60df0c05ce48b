import { type Caller, type Id, newId, type PaymentReportQuery, reportOperations } from '@cobro/contracts'
import { type Database, migrate, openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import {
  explainQuery,
  hasSequentialScan,
  indexesOf,
  migratedDatabase,
  onlyStatement,
  type TestDatabase,
  vacuumTable,
} from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { declineReport } from '../src/reports/decline-report.ts'
import { paymentReport } from '../src/reports/payment-report.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const days = 400
/** Hours of each merchant: 2 M in the long run. */
const [merchantCount, hoursADay] = long ? [400, 12.5] : [40, 12.5]
const merchants = Array.from({ length: merchantCount }, () => newId('mrc'))
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await migratedDatabase({ schema: 'transactions', migrations, migrate })
  db = openDatabase({ url: database.url('transactions'), schema: 'transactions', entities: [] })
  await seedHours('payment_hours', [], ['20', '15', '150000', '4000', '4', '1', '1', '10000', '0', '0'])
  await seedHours('decline_hours', [`'insufficient_funds'`], ['5', '50000'])
}, 600_000)
afterAll(async () => {
  await db?.close()
  await database?.drop()
})

/** Adds hours of each merchant, and those of all merchants together. */
async function seedHours(table: string, fields: string[], sums: string[]) {
  const hour = `date_trunc('hour', now()) - n * interval '1 hour' * ${24 / hoursADay}`
  const values = [`'MXN'`, 'hour', ...fields, `'card'`, `'online_cnp'`, `'visa'`]
  await database.query(
    `insert into transactions.${table} select merchant, ${[...values, ...sums].join(', ')} from unnest($1::text[]) as merchant,
       lateral (select distinct ${hour} as hour from generate_series(0, ${days * hoursADay - 1}) n) hours`,
    [merchants],
  )
  const added = sums.map(sum => `${sum} * ${merchantCount}`)
  await database.query(
    `insert into transactions.${table}_of_all
     select ${[...values, ...added].join(', ')} from (select distinct hour from transactions.${table}) as hours`,
  )
  for (const name of [table, `${table}_of_all`]) await vacuumTable(database.query, `transactions.${name}`)
}

const reports = { payments: paymentReport, declines: declineReport }

async function planOf(report: keyof typeof reports, caller: Caller, query: string) {
  const parsed = reportOperations[report].query.parse(Object.fromEntries(new URLSearchParams(query)))
  const statement = await onlyStatement(db.orm, recorder =>
    reports[report]({ read: work => work(recorder) }, caller, parsed as PaymentReportQuery),
  )
  return explainQuery(database.query, statement)
}

const one = merchants[0] as Id<'mrc'>
const year = `from=${new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10)}`

test.each([
  ['payments of a month of a merchant', keyCaller(one), 'payments', '', 'payment_hours_pkey'],
  ['payments of a year of a merchant', keyCaller(one), 'payments', year, 'payment_hours_pkey'],
  ['payments by brand', keyCaller(one), 'payments', `${year}&group_by=card_brand`, 'payment_hours_pkey'],
  ['payments of one rail', keyCaller(one), 'payments', `${year}&rail=online_cnp`, 'payment_hours_pkey'],
  ['payments of ten merchants', operatorCaller(merchants.slice(0, 10)), 'payments', '', 'payment_hours_pkey'],
  ['payments of all merchants', operatorCaller('all'), 'payments', '', 'payment_hours_of_all_pkey'],
  ['declines of a month of a merchant', keyCaller(one), 'declines', '', 'decline_hours_pkey'],
  ['declines of a year of a merchant', keyCaller(one), 'declines', year, 'decline_hours_pkey'],
  ['declines of ten merchants', operatorCaller(merchants.slice(0, 10)), 'declines', '', 'decline_hours_pkey'],
  ['declines of all merchants', operatorCaller('all'), 'declines', '', 'decline_hours_of_all_pkey'],
] as const)('reports %s by the primary key of its hours', async (name, caller, report, query, key) => {
  const plan = await planOf(report, caller, query)
  if (long) process.stdout.write(`${name}: ${plan.ms.toFixed(1)} ms\n`)
  expect(indexesOf(plan)).toEqual([key])
  expect(hasSequentialScan(plan, /^(transactions|disputes|(payment|decline)_hours.*)$/)).toBe(false)
})
