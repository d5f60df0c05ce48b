import { type Id, newId } from '@cobro/contracts'
import { newRow } from '@cobro/database'
import { erasePayer } from '@cobro/service'
import { explainQuery, hasSequentialScan, indexesOf } from '@cobro/testing'
import { DisputeEntity } from '../src/disputes/dispute-entity.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { transactionsPayerData } from '../src/personal-data/transactions-payer-data.ts'
import { ledgerFixture } from './ledger-fixture.ts'
import { paymentRow } from './payment-row.ts'

const ana = 'ana@example.com'
let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeEach(async () => {
  world = await ledgerFixture()
})
afterEach(() => world.stop())

const erase = () => erasePayer(world.db, transactionsPayerData, ana)
const row = async (id: string) =>
  (await world.database.query('select * from transactions.transactions where id = $1', [id]))[0]
const ledger = () => world.database.query('select * from transactions.ledger_entries order by id')

async function dispute(transaction_id: Id<'txn'>, evidence: object | null) {
  const now = new Date()
  const id = newId('dsp')
  await world.db.write(async tx => {
    newRow(tx, DisputeEntity, {
      ...{ id, merchant_id: newId('mrc'), correlation_id: newId('corr'), transaction_id, amount_cents: 25_000 },
      ...{ currency: 'MXN', reason: 'fraudulent', status: 'won', evidence, opened_at: now },
      ...{ created_at: now, updated_at: now },
    } as never)
  })
  return id
}

test('erases the payer of transactions and keeps the books', async () => {
  const merchant = newId('mrc')
  const card = { brand: 'visa', last4: '4242' }
  const payer = {
    payer_email: 'Ana@Example.com',
    customer_ref: 'customer-7',
    metadata: { to: ana, plan: 'gold' },
    card,
  }
  const captured = await world.captured(merchant, payer)
  const refunded = await world.captured(merchant, payer)
  await world.refund(refunded)
  const pending = await world.pending(merchant, { payer_email: ana })
  const plain = { plan: 'gold' }
  const other = await world.captured(merchant, { ...payer, payer_email: 'diana@example.com', metadata: plain })
  const plus = await world.captured(merchant, { ...payer, payer_email: 'ana+shop@example.com', metadata: plain })
  const before = {
    captured: await row(captured),
    other: await row(other),
    plus: await row(plus),
    ledger: await ledger(),
  }

  expect(await erase()).toEqual({ erased: { transactions: 3, disputes: 0, approvals: 0 }, waiting: 0, unpublished: 3 })
  const { payer_email, customer_ref, metadata, metadata_terms, search_text, ...books } = await row(captured)
  expect([payer_email, customer_ref, metadata]).toEqual([null, null, { to: '[erased]', plan: 'gold' }])
  expect([metadata_terms.sort(), search_text.includes('ana@'), search_text.includes('customer-7')]).toEqual([
    ...[['plan=gold', 'to=[erased]'], false, false],
  ])
  expect(before.captured).toMatchObject(books)
  expect(books).toMatchObject({ card, amount_cents: '25000', status: 'approved' })
  for (const id of [refunded, pending]) expect(await row(id)).toMatchObject({ payer_email: null })
  expect([await row(other), await row(plus), await ledger()]).toEqual([before.other, before.plus, before.ledger])
  expect(await checkLedger(world.db)).toMatchObject({ ok: true })
  // A payment that was pending ends as usual, without the address.
  await world.approve(pending)
  expect(await row(pending)).toMatchObject({ status: 'approved', payer_email: null })
  expect(await erase()).toMatchObject({ erased: { transactions: 0, disputes: 0 }, waiting: 0 })
})

test("erases the address from the evidence in the payer's disputes", async () => {
  const of = async (payer_email: string) => (await paymentRow(world.db, { payer_email, captured_at: null } as never)).id
  const ofPayer = await dispute(await of(ana), { receipt: 'Sent to ANA@example.com', note: 'ok' })
  const ofOther = await dispute(await of('diana@example.com'), { receipt: `Sent to ${ana}` })
  await dispute(await of(ana), null)
  expect(await erase()).toMatchObject({ erased: { transactions: 2, disputes: 1 } })
  const evidence = await world.database.query(
    'select id, evidence from transactions.disputes where evidence is not null',
  )
  expect(Object.fromEntries(evidence.map(dispute => [dispute.id, dispute.evidence]))).toEqual({
    [ofPayer]: { receipt: 'Sent to [erased]', note: 'ok' },
    [ofOther]: { receipt: `Sent to ${ana}` },
  })
})

test('erases the payer from calls that wait for an approval', async () => {
  const body = {
    amount_cents: 25_000,
    payer_email: 'Ana@Example.com',
    customer_ref: 'customer-7',
    metadata: { to: ana },
  }
  const others = { ...body, payer_email: 'diana@example.com', metadata: null }
  await world.database.query(
    `insert into transactions.approvals (id, merchant_id, operation, params, body, status, requested_by, created_at, lapses_at)
     select id, 'mrc_1', 'createTransaction', '{}', body, 'pending', 'usr_1', now(), now()
     from (values ('apr_1', $1::jsonb), ('apr_2', $2::jsonb), ('apr_3', null)) as called (id, body)`,
    [JSON.stringify(body), JSON.stringify(others)],
  )
  expect(await erase()).toMatchObject({ erased: { transactions: 0, approvals: 1 } })
  expect(await erase()).toMatchObject({ erased: { approvals: 0 } })
  expect(await world.database.query('select body from transactions.approvals order by id')).toEqual([
    { body: { ...body, payer_email: null, customer_ref: null, metadata: { to: '[erased]' } } },
    { body: others },
    { body: null },
  ])
})

test('erases the payer from held calls about its transactions, which need not name it', async () => {
  const id = await world.pending(newId('mrc'), { payer_email: ana })
  const change = { status: 'approved', customer_ref: 'Ana Ruiz', metadata: { to: ana } }
  await world.database.query(
    `insert into transactions.approvals (id, merchant_id, operation, params, body, status, requested_by, created_at, lapses_at, target_id)
     values ('apr_7', 'mrc_1', 'updateTransaction', $1, $2, 'pending', 'usr_1', now(), now(), null),
       ('apr_8', 'mrc_1', 'createTransaction', '{}', $2, 'pending', 'usr_1', now(), now(), $3),
       ('apr_9', 'mrc_1', 'deleteTransaction', $1, null, 'pending', 'usr_1', now(), now(), null)`,
    [JSON.stringify({ id }), JSON.stringify(change), id],
  )
  expect(await erase()).toMatchObject({ erased: { transactions: 1, approvals: 3 } })
  const erased = { body: { status: 'approved', customer_ref: null, metadata: { to: '[erased]' } } }
  const bodies = `select body from transactions.approvals where id in ('apr_7', 'apr_8', 'apr_9') order by id`
  expect(await world.database.query(bodies)).toEqual([erased, erased, { body: null }])
})

test('continues after a run that was interrupted between two batches', async () => {
  for (let i = 0; i < 230; i++) await paymentRow(world.db, { payer_email: ana, captured_at: null } as never)
  const batch = { email: ana, always: true }
  await world.db.write((tx, emit) => transactionsPayerData.eraseBatch(tx, emit, batch))
  expect(await transactionsPayerData.countWaiting(world.db, ana)).toBe(30)
  // The batch that fails leaves neither a change nor an event.
  const failed = world.db.write(async (tx, emit) => {
    await transactionsPayerData.eraseBatch(tx, emit, batch)
    throw new Error('killed')
  })
  await expect(failed).rejects.toThrow('killed')
  expect(await erase()).toMatchObject({ erased: { transactions: 30 }, waiting: 0 })
  const events = await world.database.query(
    `select convert_from(body, 'UTF8')::jsonb -> 'data' ->> 'transactions' as count from transactions.outbox order by id`,
  )
  expect(events.map(({ count }) => count)).toEqual(['200', '30'])
})

test('a deleted transaction loses its payer too, and the export shows no deleted or secret field', async () => {
  const deleted = await paymentRow(world.db, { payer_email: ana, captured_at: null, deleted_at: new Date() } as never)
  const found = await world.db.write((tx, emit) => transactionsPayerData.find(tx, emit, ana))
  expect(found).toMatchObject({ transactions: [{ id: deleted.id, payer_email: ana }], disputes: [] })
  expect(Object.keys(found.transactions?.[0] ?? {})).not.toContain('acquirer_reference')
  expect(await erase()).toMatchObject({ erased: { transactions: 1 } })
})

test('finds the transactions of a payer among many by index', async () => {
  const { id } = await paymentRow(world.db, { payer_email: 'x@example.com', captured_at: null } as never)
  await world.database.query(
    `insert into transactions.transactions (id, merchant_id, type, correlation_id, rail, payment_method, status, amount_cents,
       currency, payer_email, created_at, updated_at)
     select 'txn_' || n, merchant_id, type, correlation_id, rail, payment_method, status, 100, currency,
       'P' || n || '@Example.com', created_at, updated_at
     from transactions.transactions, generate_series(1, 4000) as n where id = $1`,
    [id],
  )
  const statements: string[] = []
  const { em } = world.db.orm
  const execute = async (sql: string, params: readonly unknown[]) => {
    statements.push(em.getPlatform().formatQuery(sql, params))
    return []
  }
  const tx = { execute, getMetadata: (entity: never) => em.getMetadata(entity), getDriver: () => em.getDriver() }
  const batch = { email: 'p7@example.com', always: false }
  await transactionsPayerData.eraseBatch(tx as never, (() => undefined) as never, batch)
  await transactionsPayerData.find(tx as never, (() => undefined) as never, batch.email)
  await transactionsPayerData.countWaiting({ ...world.db, execute: execute as never }, batch.email)
  expect(statements).toHaveLength(9)
  // Without statistics of the new index, and with them.
  for (const analyzed of [false, true]) {
    if (analyzed) await world.database.query('analyze transactions.transactions')
    const used = new Set<string>()
    for (const statement of statements) {
      const plan = await explainQuery(world.database.query, statement)
      expect([statement, hasSequentialScan(plan, /^transactions$/)]).toEqual([statement, false])
      for (const index of indexesOf(plan)) used.add(index)
    }
    expect([...used]).toContain('transactions_payer_of_all')
  }
})
