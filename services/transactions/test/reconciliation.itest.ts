import { type CommandData, type Id, newId, type ReplyData } from '@cobro/contracts'
import { type Difference, reconcileDaily } from '@cobro/database'
import { operatorCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { runDay } from '../src/daily-run/run-day.ts'
import { openDispute } from '../src/disputes/change-dispute.ts'
import { deleteTransaction } from '../src/manual-transactions/delete-transaction.ts'
import { findUnpaid, listPayments } from '../src/reconciliation/compare-with-checkout.ts'
import { ledgerDifferences } from '../src/reconciliation/compare-with-ledger.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { ledgerFixture } from './ledger-fixture.ts'

const logger = createLogger('transactions', 'silent')
let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeEach(async () => {
  world = await ledgerFixture()
  await world.database.query('alter table transactions.ledger_entries disable trigger immutable')
})
afterEach(() => world.stop())

const hour = 3_600_000
const period = () => ({
  from: new Date(Date.now() - hour).toISOString(),
  until: new Date(Date.now() + hour).toISOString(),
})
const change = (what: string, id: Id<'txn'>) => world.database.query(`update transactions.${what} = $1`, [id])

async function differences(): Promise<Difference[]> {
  const found: Difference[] = []
  for await (const page of ledgerDifferences(world.db, period())) found.push(...page)
  return found
}
const kindsFound = async () => [...new Set((await differences()).map(({ kind }) => kind))].sort()

test('finds no difference between the ledger and captured, refunded, disputed, deleted and settled payments', async () => {
  const merchant = newId('mrc')
  const operator = operatorCaller('all', merchant)
  await world.settlementConfig(merchant, { delay_days: 0 })
  await world.reserve(merchant)
  await world.feeRule(merchant)
  await world.captured(merchant)
  await world.pending(merchant)
  await world.refund(await world.captured(merchant))
  await openDispute(world.db, operator, { transaction_id: await world.captured(merchant), reason: 'fraudulent' })
  await deleteTransaction(
    world.db,
    operator,
    await world.captured(merchant, { payment_intent_id: null, attempt: null }),
  )
  await runDay({ db: world.db, logger }, addDays(dayOf(new Date()), 1))
  expect(await differences()).toEqual([])
})

test.each([
  [
    'a capture that was not posted',
    'ledger_entries set transaction_id = null where transaction_id',
    ['position', 'transaction'],
  ],
  ['a captured amount that differs', 'transactions set amount_cents = amount_cents + 1 where id', ['transaction']],
  ['a fee that differs', 'transactions set fee_cents = fee_cents + 1 where id', ['transaction']],
  [
    'a posted capture without a captured transaction',
    'transactions set captured_at = null where id',
    ['status', 'transaction'],
  ],
  ['a refund that was not posted', 'transactions set refunded_at = now() where id', ['status', 'transaction']],
  [
    'a balance that differs',
    'ledger_positions set pending_cents = pending_cents + 1 where transaction_id',
    ['position'],
  ],
  ['a status that differs', `transactions set status = 'refunded' where id`, ['status']],
  [
    'an entry of accounts that its event does not allow',
    `ledger_entries set event = 'refund' where transaction_id`,
    ['entry', 'transaction'],
  ],
] as const)('finds %s', async (_, what, kinds) => {
  const id = await world.captured(newId('mrc'))
  await world.captured(newId('mrc'))
  await change(what, id)
  expect(await kindsFound()).toEqual(kinds)
})

/** Copies a captured payment with its position and entries. */
async function copied(id: Id<'txn'>, count: number) {
  const copyOf = (table: string, columns: string, values = columns) => `
    insert into transactions.${table} (${columns})
    select ${values} from transactions.${table} as original, generate_series(1, ${count}) as number
    where original.${table === 'transactions' ? 'id' : 'transaction_id'} = '${id}'`
  const copy = "|| '_' || number"
  const money = 'merchant_id, currency'
  const row = `payable_id, ${money}, type, correlation_id, rail, payment_method, status, amount_cents, fee_cents, check_count, created_at,
    updated_at, captured_at`
  const position = `${money}, captured_on, pending_cents, available_cents, reserve_cents, disputed_cents, unsettled`
  const entry = `${money}, event, debit, credit, amount_cents, day, created_at`
  await world.database.query(copyOf('transactions', `id, ${row}`, `id ${copy}, ${row}`))
  await world.database.query(
    copyOf('ledger_positions', `transaction_id, ${position}`, `transaction_id ${copy}, ${position}`),
  )
  await world.database.query(
    copyOf('ledger_entries', `id, transaction_id, ${entry}`, `id ${copy}, transaction_id ${copy}, ${entry}`),
  )
}

test('finds differences behind more than a page of payments without one', async () => {
  const merchant = newId('mrc')
  await copied(await world.captured(merchant), 1_200)
  const [unposted, uncaptured] = [await world.captured(merchant), await world.captured(merchant)]
  await change('transactions set fee_cents = fee_cents + 1 where id', unposted)
  await change("transactions set captured_at = null, status = 'failed' where id", uncaptured)
  expect(await differences()).toEqual([
    { kind: 'transaction', id: unposted },
    expect.objectContaining({ id: unposted }),
    expect.objectContaining({ id: uncaptured }),
  ])
})

test('stores how many differences the newest check found, and none once they are corrected', async () => {
  const id = await world.captured(newId('mrc'))
  const check = async () => {
    await world.database.query(`update transactions.reconciliation set next_at = now(), checked_until = now()`)
    const stopping = new AbortController().signal
    await reconcileDaily({ db: world.db, logger, stopping }, () => ledgerDifferences(world.db, period()))
    return (await world.database.query('select differences from transactions.reconciliation'))[0]
  }
  await change('transactions set fee_cents = fee_cents + 1 where id', id)
  expect(await check()).toEqual({ differences: 1 })
  await change('transactions set fee_cents = fee_cents - 1 where id', id)
  expect(await check()).toEqual({ differences: 0 })
})

type Payable = CommandData<'reconciliation.find_unpaid'>['payables'][number]

test('finds the sessions and links that no captured payment of theirs has paid', async () => {
  const merchant = newId('mrc')
  const id = await world.captured(merchant)
  const pending = await world.pending(merchant)
  const payableOf = async (transaction_id: Id<'txn'>, other: Partial<Payable> = {}): Promise<Payable> => {
    const row = await world.row(transaction_id)
    return {
      id: row!.payable_id!,
      merchant_id: merchant,
      transaction_id,
      amount_cents: 25_000,
      currency: 'MXN',
      ...other,
    }
  }
  const unpaid = async (payable: Payable) => {
    const { data } = await findUnpaid(world.db, { payables: [await payableOf(id), payable] })
    return (data as ReplyData<'reconciliation.unpaid'>).ids
  }
  expect(await unpaid(await payableOf(id))).toEqual([])
  for (const other of [
    { id: 'pl_other' },
    { merchant_id: newId('mrc') },
    { amount_cents: 25_001 },
    { currency: 'USD' },
    { transaction_id: null },
    { transaction_id: 'txn_forged' },
  ])
    expect(await unpaid(await payableOf(id, other))).toEqual([other.id ?? (await world.row(id))!.payable_id])
  const { id: ofPending } = await payableOf(pending)
  expect(await unpaid(await payableOf(pending))).toEqual([ofPending])
})

test('lists captured payments in pages, without those that are late or refunded or have no session or link', async () => {
  const merchant = newId('mrc')
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.push(await world.captured(merchant))
  await world.pending(merchant)
  await world.refund(await world.captured(merchant))
  await world.captured(merchant, { late_payment_of: ids[0] })
  await world.captured(merchant, { payable_id: null, payment_intent_id: null, attempt: null })
  await copied(ids[0] as Id<'txn'>, 400)
  const { from, until } = period()
  const listed: string[] = []
  const pages: number[] = []
  for (let after = { at: from, id: '' }; ; ) {
    const { payments } = (await listPayments(world.db, { after, until })).data as ReplyData<'reconciliation.payments'>
    pages.push(payments.length)
    listed.push(...payments.map(({ id }) => id))
    const last = payments.at(-1)
    if (!last) break
    after = { at: last.captured_at, id: last.id }
  }
  expect(pages).toEqual([200, 200, 3, 0])
  expect(new Set(listed).size).toBe(403)
  expect(listed).toEqual(expect.arrayContaining(ids))
})
