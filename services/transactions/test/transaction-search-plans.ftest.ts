import { type Caller, newId, transactionOperations } from '@cobro/contracts'
import { type Database, migrate, openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import {
  explainList,
  explainQuery,
  hasSequentialScan,
  hasSort,
  indexesOf,
  maxRowsTouched,
  migratedDatabase,
  type QueryPlan,
  seedTransactions,
  type TestDatabase,
  vacuumTable,
} from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { entities } from '../src/entities.ts'
import { manualRefunds, oldestRefund } from '../src/refunds/refund-metrics.ts'
import { foldCounts } from '../src/transactions/count-transactions.ts'
import { searchTransactions } from '../src/transactions/transaction-search.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const rows = long ? 5_000_000 : 200_000
const patienceMs = long ? 3_600_000 : 600_000
const table = /^transactions$/
const many = newId('mrc')
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await migratedDatabase({ schema: 'transactions', migrations, migrate })
  const url = database.url('transactions')
  db = openDatabase({ url, schema: 'transactions', entities, statementTimeoutMs: patienceMs })
  await seedTransactions(database.query, { merchant: many, rows, merchantRows: rows / 5 })
  await database.query(
    `update transactions.transactions set disputed_at = captured_at + interval '9 days' where status = 'chargeback'`,
  )
  // Until then the planner takes every index of disputes for empty.
  await database.query('analyze transactions.transactions')
  await foldCounts(db)
  // As between two folds of the counts, without the dead rows that the bulk insert left behind.
  await vacuumTable(database.query, 'transactions.transaction_count_changes')
}, patienceMs)
afterAll(async () => {
  if (long) process.stdout.write(`\n${report.join('\n')}\n`)
  await db.close()
  await database.drop()
})

const report: string[] = []

async function plansOf(caller: Caller, text: string): Promise<[page: QueryPlan, count: QueryPlan]> {
  const query = transactionOperations.list.query.parse(Object.fromEntries(new URLSearchParams(text)))
  const plans = await explainList(database.query, db.orm, recorder =>
    searchTransactions({ read: work => work(recorder) }, caller, query),
  )
  const cells = plans.map(plan => `${indexesOf(plan).join(' + ')} | ${plan.rows} | ${plan.ms.toFixed(1)}`)
  report.push(`| ${'merchant_id' in caller ? '' : 'operator: '}${text} | ${cells.join(' | ')} |`)
  return plans
}

const key = keyCaller(many)
const all = operatorCaller('all')
const known = async () =>
  (
    await database.query(
      `select * from transactions.transactions where merchant_id = $1 and status = 'approved' and reference is not null
     and order_id is not null and payer_email is not null order by id limit 1`,
      [many],
    )
  )[0]

test.each([
  '',
  'order=created_at&dir=asc',
  'order=updated_at',
  'order=captured_at',
  'order=captured_at&dir=asc',
  'order=status',
  'order=status&dir=asc',
  'order=amount_cents',
  'order=amount_cents&dir=asc',
  'order=reference',
  'order=reference&dir=asc',
  'status=approved',
  'status=refunded',
  'status=pending',
  'payment_method=cash',
  'rail=inperson_cp',
  'currency=USD',
  'status=approved&currency=USD',
])(
  'the search "%s" reads its page in index order and its count from the stored counts',
  async query => {
    const [page, count] = await plansOf(key, query)
    // By time, the row beyond the page is read too.
    const rows = /order=(?!created_at)/.test(query) ? 50 : 51
    expect([hasSequentialScan(page, table), hasSort(page), page.rows]).toEqual([false, false, rows])
    expect(maxRowsTouched(page)).toBeLessThanOrEqual(200)
    expect([hasSequentialScan(count, table), maxRowsTouched(count) < 1_000]).toEqual([false, true])
  },
  patienceMs,
)

test.each([
  'card_brand=visa',
  'card_last4=0077',
  'decline_reason=insufficient_funds',
  'time=captured_at',
  'time=captured_at&dir=asc',
  'time=refund_requested_at',
  'time=refunded_at&dir=asc',
  'time=disputed_at',
  'time=captured_at&from=2026-01-01',
  'from=2026-01-01&to=2026-06-30',
])(
  'the search "%s", of one merchant and of all, reads its page in index order and counts its matches in an index',
  async query => {
    for (const caller of [key, all]) {
      const [page, count] = await plansOf(caller, query)
      expect([hasSequentialScan(page, table), hasSort(page), maxRowsTouched(page) <= 200]).toEqual([false, false, true])
      expect(hasSequentialScan(count, table)).toBe(false)
    }
  },
  patienceMs,
)

test.each(['', 'status=approved', 'status=chargeback'])(
  'the search "%s" over all merchants reads its page in index order and its count from the stored counts',
  async query => {
    const [page, count] = await plansOf(all, query)
    expect([hasSequentialScan(page, table), hasSort(page), maxRowsTouched(page) <= 200]).toEqual([false, false, true])
    expect([hasSequentialScan(count, table), maxRowsTouched(count) < 50_000]).toEqual([false, true])
  },
  patienceMs,
)

test.each([
  ['of a merchant', key],
  ['over all merchants', all],
] as const)(
  'a page %s deep in the list is read in index order from its cursor on',
  async (_, caller) => {
    const [{ at, id }] = await database.query(
      `select extract(epoch from created_at) * 1000 as at, id from transactions.transactions
     where merchant_id = $1 order by created_at, id offset $2 limit 1`,
      [many, rows / 10],
    )
    for (const dir of ['asc', 'desc']) {
      const [page] = await plansOf(caller, `dir=${dir}&cursor=${Math.trunc(Number(at))}-${id}`)
      expect([hasSequentialScan(page, table), hasSort(page), page.rows]).toEqual([false, false, 51])
      expect(maxRowsTouched(page)).toBeLessThanOrEqual(200)
    }
  },
  patienceMs,
)

test.each([...['id', 'reference', 'folio', 'order_id', 'payer_email', 'correlation_id', 'amount_cents']])(
  'a search by %s finds its few matches by an index',
  async name => {
    const row = await known()
    const [page, count] = await plansOf(
      key,
      `${name}=${encodeURIComponent(row[name === 'folio' ? 'reference' : name])}`,
    )
    expect([hasSequentialScan(page, table), hasSequentialScan(count, table), page.rows >= 1]).toEqual([
      false,
      false,
      true,
    ])
  },
  patienceMs,
)

test.each([
  'payment_link_id=pl_00000000000000000000000077',
  'refund_status=processing',
  'terminal_id=trm_00000000000000000000000077',
  'amount_min=70000&amount_max=70500',
  'from=2026-02-01&to=2026-02-02',
  'payment_method=cash&terminal_id=trm_00000000000000000000000077',
  'metadata.plan=gold',
  'metadata=%7B%22plan%22%3A%22gold%22%2C%22seats%22%3A5%7D',
  'search=f-7777',
  'search=zz',
])(
  'the page and the count of the search "%s" come from an index',
  async query => {
    const [page, count] = await plansOf(key, query)
    expect([hasSequentialScan(page, table), hasSequentialScan(count, table)]).toEqual([false, false])
  },
  patienceMs,
)

test.each([
  ['search=f-', 'transactions_by_time'],
  ['search=example.com', 'transactions_by_time'],
  ['search=TXN_', 'transactions_by_time'],
  ['search=f-&from=2026-01-01', 'transactions_by_time'],
  ['search=f-&status=approved', 'transactions_by_time'],
  ['metadata.plan=free', 'transactions_metadata'],
])(
  'the search "%s" with many matches reads its page in the order of the list and counts them by %s',
  async (query, index) => {
    const [page, count] = await plansOf(key, query)
    expect([hasSequentialScan(page, table), hasSort(page), maxRowsTouched(page) < 5_000, page.rows]).toEqual([
      false,
      false,
      true,
      51,
    ])
    expect([hasSequentialScan(count, table), indexesOf(count)]).toEqual([false, [index]])
  },
  patienceMs,
)

test.each([
  // One index contains the texts of all rows of the merchant, so scanning all of it costs little more than a lookup.
  ['search=order-5', rows / 5],
  ['search=order-5&order=updated_at', rows / 20],
  ['metadata.plan=gold&order=amount_cents', rows / 20],
])(
  'the search "%s", which at most a quarter of the rows match, looks its matches up and sorts them',
  async (query, most) => {
    const [page, count] = await plansOf(key, query)
    const found = query.includes('order=') ? 50 : 51
    expect([hasSequentialScan(page, table), hasSequentialScan(count, table), page.rows]).toEqual([false, false, found])
    expect([hasSort(page), maxRowsTouched(page) <= most]).toEqual([true, true])
  },
  patienceMs,
)

test.each([
  ['search=f-', `reference ilike 'f-%'`],
  ['search=f-77', `reference ilike 'f-77%'`],
  ['metadata.plan=gold', `metadata ->> 'plan' = 'gold'`],
])(
  'the pages of the search "%s" contain the matches in the requested order, whichever plan is used',
  async (query, condition) => {
    for (const [order, dir] of [
      ['created_at', 'desc'],
      ['amount_cents', 'asc'],
    ]) {
      const text = `${query}&order=${order}&dir=${dir}&limit=7&offset=3`
      const parsed = transactionOperations.list.query.parse(Object.fromEntries(new URLSearchParams(text)))
      const { data } = await searchTransactions(db, key, parsed)
      const expected = await database.query(
        `select id from transactions.transactions where merchant_id = $1 and (${condition}) order by ${order} ${dir}, id ${dir} limit 7 offset 3`,
        [many],
      )
      expect(data.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      expect([expected.length, data[0]?.status]).toEqual([7, expect.any(String)])
    }
  },
  patienceMs,
)

test.each(['metadata.customer.id=77', 'metadata_key=customer.id&metadata_value=77', 'search=payer77%40'])(
  'the search "%s" finds its few matches without reading other rows',
  async query => {
    for (const plan of await plansOf(key, query))
      expect([hasSequentialScan(plan, table), maxRowsTouched(plan) < 1_000]).toEqual([false, true])
  },
  patienceMs,
)

test(
  'the refund metrics are read from indexes of the open refunds',
  async () => {
    await database.query(`
      update transactions.transactions set refund_requested_at = created_at, refund_id = 'rfd' || substr(id, 4)
      where refund_status = 'processing'`)
    // One in twenty of the open refunds, including the oldest, is manual.
    await database.query(`
      insert into transactions.refunds (id, transaction_id, merchant_id, correlation_id, payment_method, payment_key, amount_cents,
        currency, status, owed, by_hand, created_at, updated_at)
      select 'rfd' || substr(id, 4), id, merchant_id, correlation_id, payment_method, payment_intent_id || ':1', amount_cents, currency,
        refund_status, true, refund_status = 'processing' and row_number() over (partition by refund_status order by created_at) % 20 = 1,
        created_at, created_at
      from transactions.transactions where refund_status is not null`)
    await database.query('analyze transactions.refunds')
    const few = rows / 2_000
    const oldest = await explainQuery(database.query, oldestRefund)
    expect(indexesOf(oldest)).toContain('transactions_refunding')
    expect([hasSequentialScan(oldest, /./), hasSort(oldest), maxRowsTouched(oldest) <= few]).toEqual([
      false,
      false,
      true,
    ])
    const byHand = await explainQuery(database.query, manualRefunds)
    expect([indexesOf(byHand), maxRowsTouched(byHand) <= few]).toEqual([['refunds_by_hand'], true])
    report.push(`| metrics of refunds | ${oldest.ms.toFixed(1)} | ${byHand.ms.toFixed(1)} |`)
  },
  patienceMs,
)
