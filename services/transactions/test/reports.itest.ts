import { type Caller, type Id, newId, type PaymentReportQuery, reportOperations } from '@cobro/contracts'
import { type Database, openDatabase, reportSums } from '@cobro/database'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { migrations } from '../migrations/all-transactions.ts'
import { entities } from '../src/entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { reportSource } from '../src/reports/report-source.ts'
import { foldCounts } from '../src/transactions/count-transactions.ts'
import { paymentRow } from './payment-row.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
beforeAll(async () => {
  // These tests don't call the acquirer.
  service = await transactionsUnderTest('http://127.0.0.1:9')
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
})
afterAll(async () => {
  await db.close()
  await service.stop()
})

const call = serviceCalls(() => service)
const report = async (caller: Caller, query: string) => {
  const { status, body } = await call(caller, 'GET', `/api/reports/${query}`)
  expect([query, status]).toEqual([query, 200])
  return body.data
}

const visa = { brand: 'visa', last4: '4242' }
/** Adds a payment that was created and captured at a time. Times are UTC. */
const paymentAt = (merchant_id: Id<'mrc'>, time: string, change: object = {}) => {
  const created_at = new Date(time)
  return paymentRow(db, {
    merchant_id,
    created_at,
    captured_at: created_at,
    amount_cents: 1_000,
    card: visa,
    ...change,
  })
}
const declinedAt = (merchant_id: Id<'mrc'>, time: string, change: object = {}) =>
  paymentAt(merchant_id, time, {
    ...{ status: 'declined', captured_at: null, decline_reason: 'insufficient_funds', ...change },
  })
const dispute = (transaction_id: string, amount: number) =>
  service.database.query(
    `insert into transactions.disputes (id, merchant_id, correlation_id, transaction_id, amount_cents, currency, reason, status,
       opened_at, created_at, updated_at)
     select 'dsp_' || id, merchant_id, correlation_id, id, $2, currency, 'fraud', 'open', '2026-03-04T09:00Z', now(), now()
     from transactions.transactions where id = $1`,
    [transaction_id, amount],
  )

const sums = {
  ...{ attempted: 0, approved: 0, approved_cents: 0, declined: 0, failed: 0, fee_cents: 0, approval_rate: null },
  ...{ refunded: 0, refunded_cents: 0, chargebacks: 0, chargeback_cents: 0 },
}
const march = 'from=2026-03-01&to=2026-03-04'

/** A merchant with payments of all kinds in the first days of March 2026. */
async function merchantInMarch(): Promise<Id<'mrc'>> {
  const merchant = newId('mrc')
  await paymentAt(merchant, '2026-02-28T12:00Z', { amount_cents: 700 })
  await paymentAt(merchant, '2026-03-01T12:10Z', { fee_cents: 40 })
  const { id } = await paymentAt(merchant, '2026-03-01T12:50Z', {
    ...{ status: 'refunded', refund_status: 'completed', refunded_at: new Date('2026-03-03T01:00Z') },
  })
  await dispute(id, 600)
  // Cash, paid two days after its voucher was issued.
  const cash = { payment_method: 'cash', card: null, captured_at: new Date('2026-03-03T20:00Z') }
  await paymentAt(merchant, '2026-03-01T20:00Z', cash)
  await declinedAt(merchant, '2026-03-02T00:00Z')
  await declinedAt(merchant, '2026-03-02T23:59:59Z', { decline_reason: 'lost_card', amount_cents: 5 })
  await declinedAt(merchant, '2026-03-02T10:00Z', { status: 'failed', decline_reason: 'processing_error' })
  await paymentAt(merchant, '2026-03-05T00:00Z')
  await paymentAt(merchant, '2026-03-02T12:00Z', { currency: 'USD' })
  await paymentAt(merchant, '2026-03-02T12:00Z', { deleted_at: new Date() })
  return merchant
}

test('a report has an entry for each day, with captures, refunds and disputes on the days on which they happened', async () => {
  const merchant = await merchantInMarch()
  const days = {
    '2026-03-01T00:00:00.000Z': {
      ...{ attempted: 3, approved: 2, approved_cents: 2_000, fee_cents: 40, approval_rate: 1 },
    },
    '2026-03-02T00:00:00.000Z': { attempted: 3, declined: 2, failed: 1, approval_rate: 0 },
    '2026-03-03T00:00:00.000Z': { approved: 1, approved_cents: 1_000, refunded: 1, refunded_cents: 1_000 },
    '2026-03-04T00:00:00.000Z': { chargebacks: 1, chargeback_cents: 600 },
  }
  const totals = {
    ...{ attempted: 6, approved: 3, approved_cents: 3_000, declined: 2, failed: 1, fee_cents: 40, approval_rate: 0.5 },
    ...{ refunded: 1, refunded_cents: 1_000, chargebacks: 1, chargeback_cents: 600 },
  }
  const previous = { ...sums, attempted: 1, approved: 1, approved_cents: 700, approval_rate: 1 }
  const expected = {
    ...{
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-05T00:00:00.000Z',
      tz: 'UTC',
      interval: 'day',
      currency: 'MXN',
    },
    rows: Object.entries(days).map(([start, found]) => ({ start, group: null, ...sums, ...found })),
    ...{ totals, previous, compared: { to: '2026-03-05T00:00:00.000Z', totals, previous } },
  }
  const { as_of, ...found } = await report(keyCaller(merchant), `payments?${march}`)
  expect(found).toEqual(expected)
  expect(Math.abs(Date.now() - Date.parse(as_of))).toBeLessThan(60_000)
  await foldCounts(db)
  const { as_of: later, ...folded } = await report(keyCaller(merchant), `payments?${march}`)
  expect(folded).toEqual(expected)
  expect(await checkLedgerOfReports()).toEqual([])
})

/** Returns the kinds of the hours that do not match their rows. The payments of this test have no ledger entries. */
async function checkLedgerOfReports(): Promise<string[]> {
  const { reportDiscrepancies } = await import('../src/ledger-check/report-discrepancies.ts')
  const found = await Promise.all(
    reportDiscrepancies.map(async ({ kind, sql }) => {
      const rows = await db.read(em => em.execute<object[]>(sql('merchant_id is not null')))
      return rows.length > 0 ? [kind] : []
    }),
  )
  return found.flat()
}

test('the decline report has the most frequent reasons first', async () => {
  const merchant = await merchantInMarch()
  for (const _each of [1, 2]) await declinedAt(merchant, '2026-03-03T10:00Z', { decline_reason: 'lost_card' })
  const { rows, totals, previous, compared } = await report(keyCaller(merchant), `declines?${march}`)
  expect(rows).toEqual([
    { reason: 'lost_card', count: 3, cents: 2_005 },
    { reason: 'insufficient_funds', count: 1, cents: 1_000 },
    { reason: 'processing_error', count: 1, cents: 1_000 },
  ])
  expect([totals, previous]).toEqual([
    { count: 5, cents: 4_005 },
    { count: 0, cents: 0 },
  ])
  expect(compared).toEqual({ to: '2026-03-05T00:00:00.000Z', totals, previous })
})

test('while a period has not ended, its full hours are compared with as many of the period before', async () => {
  const merchant = newId('mrc')
  // Of three days until half past twelve on the third, and of the three days before.
  for (const time of ['2026-03-04T00:00Z', '2026-03-06T11:59Z', '2026-03-06T12:00Z', '2026-03-06T12:29Z'])
    await paymentAt(merchant, time)
  for (const time of ['2026-03-01T00:00Z', '2026-03-03T11:59Z']) await paymentAt(merchant, time, { amount_cents: 10 })
  for (const time of ['2026-02-28T23:59Z', '2026-03-03T12:00Z']) await paymentAt(merchant, time, { amount_cents: 7 })
  const sumsAt = async (asOf: string, change: object = {}) => {
    const range = { from: '2026-03-04', to: '2026-03-06', ...change }
    const query = reportOperations.payments.query.parse(range) as PaymentReportQuery
    const source = { ...reportSource(keyCaller(merchant), query, 'payment'), columns: ['approved_cents'] as const }
    return db.read(em => reportSums(em, query, new Date(asOf), { ...source, groupBy: query.group_by }))
  }
  const centsAt = async (asOf: string, change?: object) => {
    const { rows, totals, previous, compared } = await sumsAt(asOf, change)
    const whole = [rows.map(row => row.approved_cents), totals.approved_cents, previous.approved_cents]
    return [...whole, compared.to.toISOString(), compared.totals.approved_cents, compared.previous.approved_cents]
  }
  const days = [[1_000, 0, 3_000], 4_000, 27]
  const noon = '2026-03-06T12:00:00.000Z'
  expect(await centsAt('2026-03-06T12:30Z')).toEqual([...days, noon, 2_000, 20])
  expect(await centsAt('2026-03-06T12:59:59.999Z')).toEqual([...days, noon, 2_000, 20])
  expect(await centsAt('2026-03-06T13:00Z')).toEqual([...days, '2026-03-06T13:00:00.000Z', 4_000, 27])
  expect(await centsAt('2026-03-04T00:30Z')).toEqual([...days, '2026-03-04T00:00:00.000Z', 0, 0])
  expect(await centsAt('2026-03-03T10:00Z')).toEqual([...days, '2026-03-04T00:00:00.000Z', 0, 0])
  expect(await centsAt('2026-04-01T00:00Z')).toEqual([...days, '2026-03-07T00:00:00.000Z', 4_000, 27])
  const groups = [[1_000, 3_000], 4_000, 27]
  expect(await centsAt('2026-03-06T12:30Z', { group_by: 'card_brand' })).toEqual([...groups, noon, 2_000, 20])
})

test('days begin at midnight of the time zone, also when the clocks change', async () => {
  const merchant = newId('mrc')
  // 23:30 and 00:30 in Mexico City.
  await paymentAt(merchant, '2026-03-02T05:30Z')
  await paymentAt(merchant, '2026-03-02T06:30Z')
  // The clocks went forward in Madrid in the night to 29 March.
  for (const time of ['2026-03-28T22:59Z', '2026-03-28T23:00Z', '2026-03-29T21:59Z', '2026-03-29T22:00Z'])
    await paymentAt(merchant, time, { currency: 'EUR' })
  const countsOf = async (query: string) => {
    const { rows } = await report(keyCaller(merchant), `payments?${query}`)
    return rows.map((row: { start: string; approved: number }) => [row.start, row.approved])
  }
  expect(await countsOf('from=2026-03-01&to=2026-03-02&tz=America/Mexico_City')).toEqual([
    ['2026-03-01T06:00:00.000Z', 1],
    ['2026-03-02T06:00:00.000Z', 1],
  ])
  expect(await countsOf('from=2026-03-28&to=2026-03-30&tz=Europe/Madrid&currency=EUR')).toEqual([
    ['2026-03-27T23:00:00.000Z', 1],
    ['2026-03-28T23:00:00.000Z', 2],
    ['2026-03-29T22:00:00.000Z', 1],
  ])
  expect(await countsOf('from=2026-02-25&to=2026-03-03&interval=week')).toEqual([
    ['2026-02-25T00:00:00.000Z', 0],
    ['2026-03-02T00:00:00.000Z', 2],
  ])
  expect(await countsOf('from=2026-02-25&to=2026-04-01&interval=month&currency=EUR')).toEqual([
    ['2026-02-25T00:00:00.000Z', 0],
    ['2026-03-01T00:00:00.000Z', 4],
    ['2026-04-01T00:00:00.000Z', 0],
  ])
  expect(await countsOf('from=2026-03-02T05:00:00.000Z&to=2026-03-02T08:00:00.000Z&interval=hour')).toEqual([
    ['2026-03-02T05:00:00.000Z', 1],
    ['2026-03-02T06:00:00.000Z', 1],
    ['2026-03-02T07:00:00.000Z', 0],
  ])
})

test('a day whose midnight comes twice has both of its first hours', async () => {
  const merchant = newId('mrc')
  // The clocks went back to midnight in Havana at 1:00 on 1 November, which is 5:00 in UTC.
  for (const time of ['2026-11-01T03:59Z', '2026-11-01T04:30Z', '2026-11-01T05:30Z', '2026-11-02T05:00Z'])
    await paymentAt(merchant, time)
  const { rows, totals } = await report(keyCaller(merchant), 'payments?from=2026-10-31&to=2026-11-02&tz=America/Havana')
  expect(rows.map(({ start, approved }: { start: string; approved: number }) => [start, approved])).toEqual([
    ['2026-10-31T04:00:00.000Z', 1],
    ['2026-11-01T04:00:00.000Z', 2],
    ['2026-11-02T05:00:00.000Z', 1],
  ])
  expect(totals.approved).toBe(4)
})

test('a report is limited to a payment method, rail or brand, or grouped by it', async () => {
  const merchant = await merchantInMarch()
  await paymentAt(merchant, '2026-03-01T12:00Z', { card: { brand: 'amex', last4: '0005' } })
  const approvedOf = async (query: string) =>
    (await report(keyCaller(merchant), `payments?${march}&${query}`)).totals.approved
  expect(await approvedOf('payment_method=cash')).toBe(1)
  expect(await approvedOf('card_brand=amex')).toBe(1)
  expect(await approvedOf('rail=inperson_cp')).toBe(0)
  const { rows } = await report(keyCaller(merchant), `payments?${march}&group_by=card_brand`)
  expect(rows.map(({ start, group, approved }: any) => [start.slice(8, 10), group, approved])).toEqual([
    ['01', '', 0],
    ['01', 'amex', 1],
    ['01', 'visa', 2],
    ['02', 'visa', 0],
    ['03', '', 1],
    ['03', 'visa', 0],
    ['04', 'visa', 0],
  ])
})

test('a report by a field leaves out what was deleted, also after its sums were kept', async () => {
  const merchant = newId('mrc')
  const { id } = await paymentAt(merchant, '2026-03-01T12:00Z')
  const declined = await declinedAt(merchant, '2026-03-01T12:00Z')
  await paymentAt(merchant, '2026-03-02T12:00Z', { card: { brand: 'amex', last4: '0005' } })
  await declinedAt(merchant, '2026-03-02T12:00Z', { decline_reason: 'lost_card' })
  await foldCounts(db)
  const deleted = 'update transactions.transactions set deleted_at = now() where id = any($1)'
  await service.database.query(deleted, [[id, declined.id]])
  for (const folded of [false, true]) {
    if (folded) await foldCounts(db)
    const byBrand = (await report(keyCaller(merchant), `payments?${march}&group_by=card_brand`)).rows
    const groups = byBrand.map(({ start, group }: { start: string; group: string }) => [start.slice(8, 10), group])
    const expected = [
      ['02', 'amex'],
      ['02', 'visa'],
    ]
    expect(groups).toEqual(expected)
    const { rows } = await report(keyCaller(merchant), `declines?${march}`)
    expect(rows.map(({ reason }: { reason: string }) => reason)).toEqual(['lost_card'])
  }
})

test('reports contain only the payments that the caller may see', async () => {
  const [one, other] = [await merchantInMarch(), await merchantInMarch()]
  const approvedFor = async (caller: Caller) => (await report(caller, `payments?${march}`)).totals.approved
  const declinesFor = async (caller: Caller) => (await report(caller, `declines?${march}`)).totals.count
  for (const caller of [keyCaller(one), clientCaller(other), operatorCaller('all', one), operatorCaller([other])]) {
    expect(await approvedFor(caller)).toBe(3)
    expect(await declinesFor(caller)).toBe(3)
  }
  expect(await approvedFor(operatorCaller([one, other]))).toBe(6)
  expect([await approvedFor(keyCaller()), await approvedFor(operatorCaller([]))]).toEqual([0, 0])
  const all = await approvedFor(operatorCaller('all'))
  expect(all).toBeGreaterThanOrEqual(6)
  await foldCounts(db)
  expect(await approvedFor(operatorCaller('all'))).toBe(all)
  expect((await call({ kind: 'payer' }, 'GET', '/api/reports/payments')).status).toBe(401)
})

test.each([
  ['from=2026-03-05&to=2026-03-04', 'from'],
  ['from=2025-01-01&to=2026-03-04', 'from'],
  ['from=2026-03-01&to=2026-03-31&interval=hour', 'from'],
  ['from=2026-03-01T00:30:00.000Z', 'from'],
  ['from=2026-02-30', 'from'],
  ['from=9999-12-01&to=9999-12-31', 'from'],
  ['from=0001-01-01&to=0001-01-10', 'from'],
  ['to=yesterday', 'to'],
  ['tz=Asia/Kolkata', 'tz'],
  ['tz=Mars/Olympus', 'tz'],
  ['interval=year', 'interval'],
  ['group_by=merchant', 'group_by'],
  ['currency=pesos', 'currency'],
])('the query %s is rejected', async (query, field) => {
  const { status, body } = await call(keyCaller(), 'GET', `/api/reports/payments?${query}`)
  expect([status, body.error]).toEqual([400, expect.stringMatching(`^invalid_request: ${field}: `)])
})

test('without a range, a report has the 30 days up to today', async () => {
  const { rows, from, to } = await report(keyCaller(), 'payments?tz=America/Mexico_City')
  expect(rows).toHaveLength(30)
  expect(rows[0].start).toBe(from)
  expect(Date.parse(to)).toBeGreaterThan(Date.now())
  expect(Date.parse(to) - Date.now()).toBeLessThanOrEqual(25 * 3_600_000)
})

test('a changed, deleted or restored row moves its sums, and a dispute that is deleted leaves them', async () => {
  const merchant = newId('mrc')
  const { id } = await paymentAt(merchant, '2026-03-01T12:00Z')
  await dispute(id, 600)
  const change = (sql: string) => service.database.query(sql.replace('ROW', `'${id}'`))
  const totals = async () => {
    await foldCounts(db)
    const { attempted, approved_cents, chargebacks } = (await report(keyCaller(merchant), `payments?${march}`)).totals
    return [attempted, approved_cents, chargebacks]
  }
  expect(await totals()).toEqual([1, 1_000, 1])
  await change('update transactions.transactions set deleted_at = now() where id = ROW')
  expect((await totals()).slice(0, 2)).toEqual([0, 0])
  await change('update transactions.transactions set deleted_at = null where id = ROW')
  await change(`update transactions.disputes set deleted_at = now() where transaction_id = ROW`)
  expect(await totals()).toEqual([1, 1_000, 0])
  expect(await checkLedgerOfReports()).toEqual([])
})

test('the migration fills the hours from the rows that were there before, and a repetition adds nothing', async () => {
  const merchant = await merchantInMarch()
  await foldCounts(db)
  const before = (await report(keyCaller(merchant), `payments?${march}`)).totals
  const fill = migrations.find(({ name }) => name === '0025-fill-report-hours')?.statements ?? []
  const tables = ['payment_hours', 'payment_hours_of_all', 'decline_hours', 'decline_hours_of_all']
  await service.database.query(`truncate ${tables.map(table => `transactions.${table}`).join(', ')}`)
  expect((await report(keyCaller(merchant), `payments?${march}`)).totals).toEqual(sums)
  await paymentAt(merchant, '2026-03-02T12:00Z')
  for (const statement of [...fill, ...fill])
    await service.database.query(`set search_path = transactions; ${statement}; reset search_path`)
  const filled = (await report(keyCaller(merchant), `payments?${march}`)).totals
  expect(filled).toMatchObject({ ...before, attempted: 7, approved: 4, approved_cents: 4_000, approval_rate: 0.6 })
  expect(await checkLedgerOfReports()).toEqual([])
})

test('the ledger check names an hour that does not match its rows', async () => {
  const merchant = newId('mrc')
  await paymentAt(merchant, '2026-03-01T12:00Z', { status: 'declined', captured_at: null })
  await foldCounts(db)
  await service.database.query(`update transactions.payment_hours set attempted = 5 where merchant_id = $1`, [merchant])
  expect(await checkLedger(db, operatorCaller('all', merchant))).toMatchObject({
    ok: false,
    first_fault: { kind: 'payment_hour', expected: '1 0 0 0 1 0 0 0 0 0', found: '5 0 0 0 1 0 0 0 0 0' },
  })
  await service.database.query(`update transactions.payment_hours set attempted = 1 where merchant_id = $1`, [merchant])
})
