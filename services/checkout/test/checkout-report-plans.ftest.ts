import { type Caller, type Id, newId, reportOperations } from '@cobro/contracts'
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
import { migrations } from '../migrations/all-checkout.ts'
import { checkoutReport } from '../src/reports/checkout-report.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const days = 400
/** Hours of each merchant: 2 M in the long run. */
const [merchantCount, hoursADay] = long ? [400, 12.5] : [40, 12.5]
const merchants = Array.from({ length: merchantCount }, () => newId('mrc'))
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await migratedDatabase({ schema: 'checkout', migrations, migrate })
  db = openDatabase({ url: database.url('checkout'), schema: 'checkout', entities: [] })
  const hour = `date_trunc('hour', now()) - n * interval '1 hour' * ${24 / hoursADay}`
  await database.query(
    `insert into checkout.checkout_hours
     select merchant, hour, 'session', 20, 18, 15, 12, 3, 1 from unnest($1::text[]) as merchant,
       lateral (select distinct date_trunc('hour', ${hour}) as hour from generate_series(0, ${days * hoursADay - 1}) n) hours`,
    [merchants],
  )
  await database.query(
    `insert into checkout.checkout_hours_of_all
     select hour, kind, sum(created), sum(viewed), sum(attempted), sum(completed), sum(expired), sum(cancelled)
     from checkout.checkout_hours group by hour, kind`,
  )
  for (const table of ['checkout_hours', 'checkout_hours_of_all'])
    await vacuumTable(database.query, `checkout.${table}`)
}, 600_000)
afterAll(async () => {
  await db?.close()
  await database?.drop()
})

async function planOf(caller: Caller, query: string) {
  const parsed = reportOperations.checkout.query.parse(Object.fromEntries(new URLSearchParams(query)))
  const statement = await onlyStatement(db.orm, recorder =>
    checkoutReport({ read: work => work(recorder) }, caller, parsed),
  )
  return explainQuery(database.query, statement)
}

const one = merchants[0] as Id<'mrc'>
const year = `from=${new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10)}`

test.each([
  ['a month of a merchant', keyCaller(one), '', 'checkout_hours_pkey'],
  ['a year of a merchant', keyCaller(one), year, 'checkout_hours_pkey'],
  ['a year of a merchant, links', keyCaller(one), `${year}&kind=link`, 'checkout_hours_pkey'],
  ['a month of ten merchants', operatorCaller(merchants.slice(0, 10)), '', 'checkout_hours_pkey'],
  ['a month of all merchants', operatorCaller('all'), 'tz=America/Mexico_City', 'checkout_hours_of_all_pkey'],
])('reports %s by the primary key', async (name, caller, query, key) => {
  const plan = await planOf(caller, query)
  if (long) process.stdout.write(`${name}: ${plan.ms.toFixed(1)} ms\n`)
  expect(indexesOf(plan)).toEqual([key])
  expect(hasSequentialScan(plan, /^checkout_hours/)).toBe(false)
})
