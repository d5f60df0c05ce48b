import { type Id, newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { schemaDrift } from '@cobro/testing'
import { runDay } from '../src/daily-run/run-day.ts'
import { LedgerPositionEntity } from '../src/ledger/ledger-entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { resolveRefund } from '../src/refunds/resolve-refund.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { endVouchers } from '../src/vouchers/end-vouchers.ts'
import { ledgerFixture } from './ledger-fixture.ts'

const logger = createLogger('test', 'silent')

let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeAll(async () => {
  world = await ledgerFixture()
})
afterAll(() => world.stop())

const position = (transaction_id: Id<'txn'>) =>
  world.db.read(em => em.findOne(LedgerPositionEntity, { transaction_id }))

test('entities match the migrated tables, apart from generated columns', async () => {
  expect(await schemaDrift(world.db)).toEqual(['transactions.search_text text: only in the table'])
})

test('a capture without fee rules is posted as pending in full', async () => {
  const merchant = newId('mrc')
  const id = await world.captured(merchant)
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_pending: 25_000n })
  expect(await world.row(id)).toMatchObject({ fee_cents: 0, fee_parts: null })
})

test('a capture posts the fee of its rule and the held share, and stores the fee parts', async () => {
  const merchant = newId('mrc')
  await world.reserve(merchant)
  await world.feeRule(merchant, { card_brand: 'amex', fixed_cents: 999 })
  const rule = await world.feeRule(merchant)
  const id = await world.captured(merchant)
  expect(await world.balances(merchant)).toEqual({
    receivable_acquirer: -25_000n,
    fee_revenue: 1_044n,
    merchant_reserve: 2_500n,
    merchant_pending: 21_456n,
  })
  const row = await world.row(id)
  expect(row).toMatchObject({ fee_cents: 1_044 })
  expect(row?.fee_parts).toEqual({
    ...{ rule_id: rule.id, percent_bps: 360, fixed_cents: 0, min_fee_cents: null, max_fee_cents: null },
    ...{ tax_bps: 1600, fee_cents: 900, tax_cents: 144 },
  })
  const stored = await world.database.query(
    "select convert_from(body, 'utf8')::jsonb -> 'data' as data from transactions.outbox where name = 'payment.approved' and correlation_id = $1",
    [row?.correlation_id],
  )
  expect(stored).toEqual([{ data: expect.objectContaining({ fee_cents: 1_044 }) }])
})

test('a refund takes the hold first, then the pending balance, and does not return the fee', async () => {
  const merchant = newId('mrc')
  await world.reserve(merchant)
  await world.feeRule(merchant)
  const id = await world.captured(merchant)
  await world.refund(id)
  expect(await world.balances(merchant)).toEqual({ fee_revenue: 1_044n, merchant_pending: -1_044n })
  expect(await position(id)).toMatchObject({ pending_cents: -1_044n, reserve_cents: 0n, unsettled: true })
})

test('the completed refund of a payment that cannot be refunded is rejected, and nothing is posted', async () => {
  const merchant = newId('mrc')
  const id = await world.captured(merchant)
  await world.database.query("update transactions.transactions set status = 'declined' where id = $1", [id])
  await expect(world.refund(id)).rejects.toThrow(`Transaction ${id} is declined and was refunded.`)
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_pending: 25_000n })
  expect(await world.row(id)).toMatchObject({ status: 'declined', refunded_at: null })
})

test('an approval that is reported twice is posted once', async () => {
  const merchant = newId('mrc')
  const id = await world.pending(merchant)
  await Promise.all(Array.from({ length: 10 }, () => world.approve(id)))
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_pending: 25_000n })
})

test('a late payment is posted without a fee and without a hold', async () => {
  const merchant = newId('mrc')
  await world.reserve(merchant)
  await world.feeRule(merchant)
  await world.approve(await world.pending(merchant, { status: 'failed' }))
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_pending: 25_000n })
})

test.each([
  ['before it matures', false],
  ['after it has matured', true],
])('a cash payment whose session had ended is refunded with its fee %s', async (_when, matures) => {
  const merchant = newId('mrc')
  await world.reserve(merchant)
  await world.feeRule(merchant, { payment_method: 'cash' })
  const payable_id = newId('cs')
  const id = await world.captured(merchant, { payment_method: 'cash', payable_id })
  if (matures) await runDay({ db: world.db, logger }, addDays(dayOf(new Date()), 1))
  const end = () => world.db.write((tx, emit) => endVouchers(tx, emit, { id: payable_id } as never, 'expire'))
  await end()
  await end()
  const row = await world.row(id)
  expect(row).toMatchObject({ fee_cents: 0, fee_parts: { fee_cents: 900 }, refund_status: 'processing' })
  const entries = await world.database.query(
    `select credit, amount_cents::integer, source_id from transactions.ledger_entries
     where event = 'fee_returned' and transaction_id = $1`,
    [id],
  )
  const credit = matures ? 'merchant_available' : 'merchant_pending'
  expect(entries).toEqual([{ credit, amount_cents: 1_044, source_id: row?.refund_id }])
  const [duplicate] = await world.database.query(
    "select convert_from(body, 'utf8')::jsonb -> 'data' as data from transactions.outbox where name = 'payment.duplicate' and correlation_id = $1",
    [row?.correlation_id],
  )
  expect(duplicate).toMatchObject({ data: { id, fee_cents: 0 } })
  const completed = { status: 'completed', acquirer_reference: null } as const
  await world.db.write((tx, emit) => resolveRefund({ tx, emit, logger }, row?.refund_id as Id<'rfd'>, completed))
  expect(await world.balances(merchant)).toEqual({})
  expect(await checkLedger(world.db, operatorCaller([merchant]))).toMatchObject({ ok: true, transactions: 1 })
})

test.each([
  ['update', 'update transactions.ledger_entries set amount_cents = amount_cents + 1'],
  ['delete', 'delete from transactions.ledger_entries'],
  ['truncate', 'truncate transactions.ledger_entries cascade'],
])('the database rejects an %s of ledger entries by the service and by any other role', async (_what, statement) => {
  await world.captured(newId('mrc'))
  await expect(world.db.read(em => em.execute(statement))).rejects.toThrow('permission denied')
  await expect(world.database.query(statement)).rejects.toThrow('entries of the ledger are never changed')
})

test.each([
  ['an amount of zero', "'merchant_pending', 'merchant_available', 0"],
  ['an amount below zero', "'merchant_pending', 'merchant_available', -1"],
  ['one account alone', "'merchant_pending', 'merchant_pending', 1"],
  ['an unknown account', "'merchant_pending', 'pocket', 1"],
])('the database rejects a ledger entry of %s', async (_what, values) => {
  const statement = `insert into transactions.ledger_entries (id, merchant_id, currency, event, debit, credit, amount_cents, day, created_at)
    values ('${newId('led')}', 'mrc_1', 'MXN', 'matured', ${values}, '2026-01-01', now())`
  await expect(world.db.read(em => em.execute(statement))).rejects.toThrow('violates check constraint')
})
