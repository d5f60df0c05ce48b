import { type Id, newId } from '@cobro/contracts'
import { lockRow } from '@cobro/database'
import { operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { BalanceSnapshotEntity } from '../src/balance-snapshots/balance-snapshot-entity.ts'
import { takeSnapshot } from '../src/balance-snapshots/take-snapshot.ts'
import { runDay } from '../src/daily-run/run-day.ts'
import { runDueDays } from '../src/daily-run/run-due-days.ts'
import { changeDispute, openDispute } from '../src/disputes/change-dispute.ts'
import { recordDispute } from '../src/disputes/transition-dispute.ts'
import { LedgerEntryEntity } from '../src/ledger/ledger-entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { deleteTransaction } from '../src/manual-transactions/delete-transaction.ts'
import { SettlementConfigEntity } from '../src/settlement-config/settlement-config-entity.ts'
import { SettlementEntity } from '../src/settlements/settlement-entity.ts'
import type { SettlementAction } from '../src/settlements/settlement-states.ts'
import { transitionSettlement } from '../src/settlements/transition-settlement.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { ledgerFixture } from './ledger-fixture.ts'

const logger = createLogger('transactions', 'silent')
let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeEach(async () => {
  world = await ledgerFixture()
})
afterEach(async () => {
  const checked = await checkLedger(world.db)
  await world.stop()
  expect(checked).toMatchObject({ ok: true, first_fault: null })
})

let today: string
beforeEach(() => {
  today = dayOf(new Date())
})
const run = (day: string) => runDay({ db: world.db, logger }, day)
const config = (merchant: Id<'mrc'>, change: object = {}) => world.settlementConfig(merchant, change)
const settlementsOf = (merchant_id: Id<'mrc'>) =>
  world.db.read(em => em.find(SettlementEntity, { merchant_id }, { orderBy: { id: 'asc' } }))
const end = (id: Id<'stl'>, action: SettlementAction) =>
  world.db.write(async (tx, emit) =>
    transitionSettlement({ tx, emit }, await tx.findOneOrFail(SettlementEntity, { id }), action),
  )
const entryCount = () => world.db.read(em => em.count(LedgerEntryEntity, {}))

test('captured money matures after its delay and is paid out minus its fees', async () => {
  const merchant = newId('mrc')
  await config(merchant)
  await world.reserve(merchant)
  await world.feeRule(merchant)
  await world.captured(merchant)
  await run(today)
  expect(await world.balances(merchant)).toMatchObject({ merchant_pending: 21_456n })
  expect(await settlementsOf(merchant)).toEqual([])
  await run(addDays(today, 1))
  const [settlement] = await settlementsOf(merchant)
  expect(settlement).toMatchObject({
    ...{ period_start: addDays(today, 1), period_end: addDays(today, 1), status: 'pending', transaction_count: 1 },
    ...{ gross_cents: 25_000, fee_cents: 1_044, reserve_held_cents: 2_500, reserve_released_cents: 0 },
    ...{ refund_cents: 0, chargeback_cents: 0, net_cents: 21_456 },
  })
  expect(await world.balances(merchant)).toEqual({
    ...{ receivable_acquirer: -25_000n, fee_revenue: 1_044n, merchant_reserve: 2_500n, payouts: 21_456n },
  })
  await end(settlement!.id, 'pay')
  expect(await world.balances(merchant)).toEqual({
    ...{ receivable_acquirer: -3_544n, fee_revenue: 1_044n, merchant_reserve: 2_500n },
  })
})

test('without a settlement configuration money matures after one day and no settlement is created', async () => {
  const merchant = newId('mrc')
  await world.captured(merchant)
  await run(today)
  expect(await world.balances(merchant)).toMatchObject({ merchant_pending: 25_000n })
  await run(addDays(today, 1))
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_available: 25_000n })
  expect(await settlementsOf(merchant)).toEqual([])
})

test('a daily run that is repeated or runs three times concurrently does nothing twice', async () => {
  const merchant = newId('mrc')
  await config(merchant)
  await world.reserve(merchant, { hold_days: 1 })
  for (let i = 0; i < 5; i++) await world.captured(merchant)
  const day = addDays(today, 1)
  await Promise.all([run(day), run(day), run(day)])
  const before = [await entryCount(), await world.balances(merchant), (await settlementsOf(merchant)).length]
  await run(day)
  expect([await entryCount(), await world.balances(merchant), (await settlementsOf(merchant)).length]).toEqual(before)
  expect(before).toEqual([5 * 2 + 5 + 5 + 1, { receivable_acquirer: -125_000n, payouts: 125_000n }, 1])
  expect(await world.db.read(em => em.count(BalanceSnapshotEntity, { merchant_id: merchant, day }))).toBe(1)
})

test('an inactive configuration keeps its delay: what is paused does not become available earlier', async () => {
  const merchant = newId('mrc')
  const { id } = await config(merchant, { delay_days: 3 })
  await world.db.write(tx => tx.nativeUpdate(SettlementConfigEntity, { id }, { active: false }))
  await world.captured(merchant)
  await run(addDays(today, 2))
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_pending: 25_000n })
  await run(addDays(today, 3))
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_available: 25_000n })
  expect(await settlementsOf(merchant)).toEqual([])
})

test('a hold is released after its days and paid out with a later settlement', async () => {
  const merchant = newId('mrc')
  await config(merchant)
  await world.reserve(merchant, { hold_days: 3 })
  await world.captured(merchant)
  for (const days of [1, 2, 3]) await run(addDays(today, days))
  const amounts = (await settlementsOf(merchant)).map(one => [
    one.period_end,
    one.net_cents,
    one.reserve_released_cents,
  ])
  expect(amounts).toEqual([
    [addDays(today, 1), 22_500, 0],
    [addDays(today, 3), 2_500, 2_500],
  ])
})

test('a refund after a settlement is deducted from the next one, and a negative net creates none', async () => {
  const merchant = newId('mrc')
  await config(merchant, { delay_days: 0 })
  const first = await world.captured(merchant)
  await run(today)
  await world.refund(first)
  await run(today)
  expect(await settlementsOf(merchant)).toHaveLength(1)
  expect(await world.balances(merchant)).toEqual({ merchant_available: -25_000n, payouts: 25_000n })
  await world.captured(merchant, { amount_cents: 40_000 })
  await run(today)
  expect((await settlementsOf(merchant))[1]).toMatchObject({
    ...{ gross_cents: 40_000, refund_cents: 25_000, net_cents: 15_000, transaction_count: 1 },
  })
})

test.each(['fail', 'delete'] as const)(
  'a settlement after the action %s releases its entries for the next one',
  async action => {
    const merchant = newId('mrc')
    await config(merchant, { delay_days: 0 })
    await world.captured(merchant)
    await run(today)
    const [first] = await settlementsOf(merchant)
    await end(first!.id, action)
    expect(await world.balances(merchant)).toMatchObject({ merchant_available: 25_000n })
    await expect(end(first!.id, 'pay')).rejects.toThrow('conflict')
    await run(today)
    expect((await settlementsOf(merchant))[1]).toMatchObject({ status: 'pending', net_cents: 25_000 })
  },
)

/** Creates a manual transaction captured yesterday, with ledger entries of that day. */
async function enteredYesterday(merchant: Id<'mrc'>): Promise<Id<'txn'>> {
  const id = await world.captured(merchant, { payment_intent_id: null, attempt: null })
  await world.pass(1)
  return id
}

test('a deleted transaction never matures and is in no settlement, whatever day is run later', async () => {
  const merchant = newId('mrc')
  await config(merchant, { delay_days: 0 })
  const id = await enteredYesterday(merchant)
  await deleteTransaction(world.db, operatorCaller('all', merchant), id)
  for (const days of [-1, 0, 1, -1]) await run(addDays(today, days))
  expect([await world.balances(merchant), await settlementsOf(merchant)]).toEqual([{}, []])
})

test('a hold is not released by the run of a day before it was posted', async () => {
  const merchant = newId('mrc')
  await config(merchant)
  await world.reserve(merchant, { hold_days: 1 })
  await world.captured(merchant, { payment_intent_id: null, attempt: null })
  // Like a manual transaction that is entered today but was captured long ago.
  await world.database.query(
    'update transactions.ledger_positions set captured_on = captured_on - 9, hold_until = $1',
    [addDays(today, -8)],
  )
  await run(addDays(today, -1))
  expect(await world.balances(merchant)).toMatchObject({ merchant_pending: 22_500n, merchant_reserve: 2_500n })
  await run(today)
  expect(await settlementsOf(merchant)).toMatchObject([{ gross_cents: 25_000, net_cents: 25_000 }])
})

test('days that are run in any order and repeatedly mature and release everything once', async () => {
  const merchant = newId('mrc')
  const operator = operatorCaller('all', merchant)
  await config(merchant, { minimum_cents: 99_999_999 })
  await world.reserve(merchant, { hold_days: 1 })
  const disputed = await world.captured(merchant)
  const { id } = await openDispute(world.db, operator, { transaction_id: disputed, reason: 'fraudulent' })
  await world.captured(merchant)
  await world.pass(2)
  await run(addDays(today, -1))
  // A won dispute returns its money to the pending balance and the hold that it was taken from.
  await changeDispute(world.db, operator, id, { status: 'won' })
  await world.pass(1)
  const back = { merchant_available: 25_000n, merchant_pending: 22_500n, merchant_reserve: 2_500n }
  for (const days of [-2, -3, -2]) {
    await run(addDays(today, days))
    expect(await world.balances(merchant)).toMatchObject(back)
  }
  for (const days of [-1, -2, -1]) await run(addDays(today, days))
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -50_000n, merchant_available: 50_000n })
})

test('money that matured with a later day does not mature again with an earlier one', async () => {
  const merchant = newId('mrc')
  await config(merchant, { minimum_cents: 99_999_999 })
  const payment = await world.captured(merchant)
  const now = new Date()
  const terms = { amount_cents: 5_000, currency: 'MXN', reason: 'fraudulent', status: 'open', opened_at: now } as const
  const { id } = await world.db.write(async (tx, emit) =>
    recordDispute({ tx, emit, row: await lockRow(tx, TransactionEntity, payment), now }, terms),
  )
  await world.pass(4)
  await run(addDays(today, -1))
  await changeDispute(world.db, operatorCaller('all', merchant), id, { status: 'won' })
  for (const days of [-1, -2, -3]) await run(addDays(today, days))
  expect(await world.balances(merchant)).toMatchObject({ merchant_available: 20_000n, merchant_pending: 5_000n })
  await run(today)
  expect(await world.balances(merchant)).toEqual({ receivable_acquirer: -25_000n, merchant_available: 25_000n })
})

test('a daily snapshot is corrected by later postings, and later snapshots are computed from it', async () => {
  const merchant = newId('mrc')
  const ledger = { merchant_id: merchant, currency: 'MXN' }
  const { id: configured } = await config(merchant, { delay_days: 9, minimum_cents: 99_999_999 })
  await world.captured(merchant)
  await world.pass(3)
  const snapshots = async () => {
    const rows = await world.db.read(em => em.find(BalanceSnapshotEntity, ledger, { orderBy: { as_of: 'asc' } }))
    return rows.map(row => [row.day, row.available_cents, row.pending_cents])
  }
  for (const days of [-3, -2]) await run(addDays(today, days))
  await world.db.write(async tx => {
    await tx.nativeUpdate(SettlementConfigEntity, { id: configured }, { delay_days: 1 })
  })
  await run(addDays(today, -2))
  expect(await snapshots()).toEqual([
    [addDays(today, -3), 0, 25_000],
    [addDays(today, -2), 25_000, 0],
  ])
  const change =
    'update transactions.balance_snapshots set available_cents = available_cents + $1 where merchant_id = $2'
  await world.database.query(change, [7, merchant])
  await world.captured(merchant, { amount_cents: 100 })
  await world.db.write((tx, emit) => takeSnapshot({ tx, emit, ledger }))
  expect((await snapshots()).at(-1)).toEqual([null, 25_007, 100])
  await world.database.query(change, [-7, merchant])
})

test('a net amount below the minimum waits for the next settlement, and a weekly merchant is paid on its weekday', async () => {
  const [small, weekly] = [newId('mrc'), newId('mrc')]
  await config(small, { delay_days: 0, minimum_cents: 30_000 })
  const weekday = (new Date(addDays(today, 3)).getUTCDay() || 7) as number
  await config(weekly, { delay_days: 0, frequency: 'weekly', weekday })
  for (const merchant of [small, weekly]) await world.captured(merchant)
  await run(today)
  expect([await settlementsOf(small), await settlementsOf(weekly)]).toEqual([[], []])
  await world.captured(small)
  for (const days of [1, 2, 3]) await run(addDays(today, days))
  expect((await settlementsOf(small)).map(one => one.net_cents)).toEqual([50_000])
  expect((await settlementsOf(weekly)).map(one => [one.period_start, one.period_end])).toEqual([
    [addDays(today, -3), addDays(today, 3)],
  ])
})

test('every merchant and currency is settled separately', async () => {
  const [one, other] = [newId('mrc'), newId('mrc')]
  for (const merchant of [one, other]) await config(merchant, { delay_days: 0 })
  await config(one, { delay_days: 0, currency: 'USD' })
  await world.captured(one)
  await world.captured(one, { currency: 'USD', amount_cents: 700 })
  await world.captured(other, { amount_cents: 900 })
  await run(today)
  const nets = async (merchant: Id<'mrc'>) =>
    (await settlementsOf(merchant)).map(row => `${row.net_cents} ${row.currency}`)
  expect([(await nets(one)).toSorted(), await nets(other)]).toEqual([['25000 MXN', '700 USD'], ['900 MXN']])
})

test('only one replica runs a day, and the ledger check names a manipulated row', async () => {
  const merchant = newId('mrc')
  await world.captured(merchant)
  await Promise.all(Array.from({ length: 4 }, () => runDueDays({ db: world.db, logger })))
  await runDueDays({ db: world.db, logger })
  const runs = await world.db.read(em =>
    em.execute('select day::text, finished_at is not null as done from transactions.daily_runs'),
  )
  expect(runs).toEqual([{ day: expect.any(String), done: true }])

  const id = await world.captured(merchant)
  await world.db.read(em =>
    em.execute('update transactions.ledger_positions set pending_cents = 1 where transaction_id = ?', [id]),
  )
  expect(await checkLedger(world.db)).toMatchObject({
    ok: false,
    first_fault: { kind: 'position', id, expected: '{1,0,0,0}', found: '{25000,0,0,0}' },
  })
  await world.db.read(em =>
    em.execute('update transactions.ledger_positions set pending_cents = 25000 where transaction_id = ?', [id]),
  )
  await world.db.read(em => em.execute('update transactions.transactions set amount_cents = 24999 where id = ?', [id]))
  expect(await checkLedger(world.db)).toMatchObject({ ok: false, first_fault: { kind: 'transaction', id } })
  await world.db.read(em => em.execute('update transactions.transactions set amount_cents = 25000 where id = ?', [id]))
})
