import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { takeSnapshot } from '../src/balance-snapshots/take-snapshot.ts'
import { openDispute } from '../src/disputes/change-dispute.ts'
import { lockMerchantLedger } from '../src/ledger/merchant-ledgers.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { ledgerCheckRoutes } from '../src/ledger-check/ledger-check-routes.ts'
import { deleteTransaction } from '../src/manual-transactions/delete-transaction.ts'
import { matureLedger } from '../src/maturity/mature-positions.ts'
import { createSettlement } from '../src/settlements/create-settlement.ts'
import { addDays, dayOf } from '../src/time/utc-days.ts'
import { ledgerFixture } from './ledger-fixture.ts'

let world: Awaited<ReturnType<typeof ledgerFixture>>
beforeAll(async () => {
  world = await ledgerFixture()
  // The test changes rows as an owner, because the service's role may not.
  await world.database.query('alter table transactions.ledger_entries disable trigger immutable')
})
afterAll(() => world.stop())

let today: string
beforeEach(() => {
  today = dayOf(new Date())
})
const byHand = { payment_intent_id: null, attempt: null }
/** Creates a settled, a refunded, a disputed and a deleted payment, and a past day's snapshot. */
async function merchantWithLedger() {
  const merchant = newId('mrc')
  const ledger = { merchant_id: merchant, currency: 'MXN' }
  const operator = operatorCaller('all', merchant)
  await world.settlementConfig(merchant, { delay_days: 0 })
  await world.reserve(merchant)
  await world.feeRule(merchant)
  const [settled, refunded, disputed] = [
    await world.captured(merchant),
    await world.captured(merchant),
    await world.captured(merchant),
  ]
  const deleted = await world.captured(merchant, byHand)
  await deleteTransaction(world.db, operator, deleted)
  const created = await world.db.write(async (tx, emit) => {
    await lockMerchantLedger({ tx, ledger })
    const now = new Date()
    await matureLedger({ tx, ledger, day: today, now })
    const period = { period_start: today, period_end: today, minimum: 0n, reference: null }
    return createSettlement({ tx, emit, ledger, now, ...period })
  })
  await world.refund(refunded)
  const dispute = await openDispute(world.db, operator, { transaction_id: disputed, reason: 'fraudulent' })
  const past = addDays(today, -2)
  const snapshot = await world.db.write((tx, emit) => takeSnapshot({ tx, emit, ledger, day: past }))
  const ids = {
    settled,
    refunded,
    disputed,
    deleted,
    dispute: dispute.id,
    settlement: created.settlement?.id ?? '',
    snapshot: snapshot.id,
  }
  return { merchant, ids, check: () => checkLedger(world.db, operator) }
}
type Ids = Awaited<ReturnType<typeof merchantWithLedger>>['ids']

const query = (sql: string, given: unknown[]) => world.database.query(sql, given)
/** Changes the ledger entry of an event and returns its id. */
const changed = (change: string, event: string) => async (ids: Ids) => {
  const about = event.startsWith('settlement') ? 'source_id' : 'transaction_id'
  const of = about === 'source_id' ? ids.settlement : ids.settled
  const [{ id }] = (await query(
    `select min(id) as id from transactions.ledger_entries where event = '${event}' and ${about} = $1`,
    [of],
  )) as [{ id: string }]
  await query(`update transactions.ledger_entries set ${change} where id = $1`, [id])
  return id
}
/** Inserts a false ledger entry and returns its id. */
const inserted =
  (
    event: string,
    debit: string,
    credit: string,
    about: Partial<Record<'transaction' | 'source', keyof Ids | 'none'>> = {},
  ) =>
  async (ids: Ids) => {
    const id = newId('led')
    const named = (name?: keyof Ids | 'none') => (name === 'none' ? newId('stl') : name ? ids[name] : null)
    await query(
      `insert into transactions.ledger_entries
         select $1, merchant_id, currency, '${event}', '${debit}', '${credit}', 99999999, $2, $3, '${today}', now()
         from transactions.transactions where id = $4`,
      [id, named(about.transaction), named(about.source), ids.settled],
    )
    return id
  }
const set = (table: string, change: string, which: keyof Ids) => async (ids: Ids) => {
  const key = table === 'ledger_positions' ? 'transaction_id' : 'id'
  await query(`update transactions.${table} set ${change} where ${key} = $1`, [ids[which]])
  return ids[which]
}

test('an untouched ledger has no discrepancy', async () => {
  const { check } = await merchantWithLedger()
  expect(await check()).toMatchObject({ ok: true, transactions: 4, first_fault: null })
})

test.each([
  [
    'an entry of a settlement that does not exist',
    'entry',
    inserted('settlement_made', 'merchant_available', 'payouts', { source: 'none' }),
  ],
  [
    'an entry of a settlement that names a payment',
    'entry',
    inserted('settlement_paid', 'payouts', 'receivable_acquirer', { transaction: 'settled', source: 'settlement' }),
  ],
  ['a capture without a payment', 'entry', inserted('capture', 'receivable_acquirer', 'merchant_available')],
  [
    'an entry of a refund that does not exist',
    'entry',
    inserted('refund', 'merchant_available', 'receivable_acquirer', { transaction: 'settled' }),
  ],
  [
    'a returned fee without a refund',
    'entry',
    inserted('fee_returned', 'fee_revenue', 'merchant_available', { transaction: 'settled' }),
  ],
  [
    'an entry with the dispute of another payment',
    'entry',
    inserted('dispute_lost', 'merchant_disputed', 'receivable_acquirer', { transaction: 'settled', source: 'dispute' }),
  ],
  [
    'a maturity entry between wrong accounts',
    'entry',
    inserted('matured', 'fee_revenue', 'receivable_acquirer', { transaction: 'settled' }),
  ],
  [
    'an entry with an unknown event',
    'entry',
    inserted('gift', 'receivable_acquirer', 'payouts', { transaction: 'settled' }),
  ],
  ['a capture that names another merchant', 'entry', changed("merchant_id = 'mrc_1'", 'capture')],
  ['a capture in another currency', 'entry', changed("currency = 'USD'", 'capture')],
  ['a payout that names another merchant', 'entry', changed("merchant_id = 'mrc_1'", 'settlement_made')],
  [
    'a wrong matured amount',
    'position',
    async (ids: Ids) => {
      await changed('amount_cents = amount_cents + 1', 'matured')(ids)
      return ids.settled
    },
  ],
  ['a position with a wrong balance', 'position', set('ledger_positions', 'available_cents = 0', 'settled')],
  ['a position that names another merchant', 'position', set('ledger_positions', "merchant_id = 'mrc_1'", 'settled')],
  ['a payment with a wrong amount', 'transaction', set('transactions', 'amount_cents = 1', 'settled')],
  ['a payment with a wrong fee', 'transaction', set('transactions', 'fee_cents = 1', 'settled')],
  ['a refunded payment without a refund time', 'transaction', set('transactions', 'refunded_at = null', 'refunded')],
  ['a captured payment that is marked as pending', 'status', set('transactions', "status = 'pending'", 'settled')],
  [
    'an undisputed payment that is marked as charged back',
    'status',
    set('transactions', "status = 'chargeback'", 'settled'),
  ],
  ['a disputed payment that is marked as approved', 'status', set('transactions', "status = 'approved'", 'disputed')],
  ['a refunded payment that is marked as approved', 'status', set('transactions', "status = 'approved'", 'refunded')],
  ['an undeleted payment that is marked as deleted', 'deletion', set('transactions', 'deleted_at = now()', 'disputed')],
  [
    'a deleted payment with a settled entry',
    'deletion',
    async (ids: Ids) => {
      await query(
        'insert into transactions.settlement_entries select min(id), $2 from transactions.ledger_entries where transaction_id = $1',
        [ids.deleted, ids.settlement],
      )
      return ids.deleted
    },
  ],
  [
    'a hold that was returned before the day of its capture',
    'hold',
    async (ids: Ids) => {
      await query(
        "update transactions.ledger_entries set day = day + 1 where transaction_id = $1 and event = 'capture'",
        [ids.refunded],
      )
      return ids.refunded
    },
  ],
  [
    'a position with unsettled entries that is marked as settled',
    'unsettled',
    set('ledger_positions', 'unsettled = false', 'refunded'),
  ],
  ['a dispute with a wrong amount', 'dispute', set('disputes', 'amount_cents = 1', 'dispute')],
  ['an open dispute that is marked as lost', 'dispute', set('disputes', "status = 'lost'", 'dispute')],
  ['a dispute with a wrong currency', 'dispute', set('disputes', "currency = 'USD'", 'dispute')],
  ['a settlement that names another merchant', 'settlement', set('settlements', "merchant_id = 'mrc_1'", 'settlement')],
  [
    'a settlement with a wrong number of payments',
    'settlement',
    set('settlements', 'transaction_count = 999', 'settlement'),
  ],
  [
    'a settlement with wrong amounts',
    'settlement',
    set('settlements', 'gross_cents = gross_cents + 1, fee_cents = fee_cents + 1', 'settlement'),
  ],
  ['a pending settlement that is marked as paid', 'payout', set('settlements', "status = 'paid'", 'settlement')],
  [
    'a balance snapshot with a wrong balance',
    'balance_snapshot',
    set('balance_snapshots', 'available_cents = 123456789', 'snapshot'),
  ],
] as const)('the ledger check names %s', async (_what, kind, tamper) => {
  const { ids, check } = await merchantWithLedger()
  const id = await tamper(ids)
  expect(await check()).toMatchObject({ ok: false, first_fault: { kind, id } })
})

test('a ledger check that takes too long says what to do, and another failure of the database is passed on', async () => {
  const failing = async (error: Error) => {
    const [route] = ledgerCheckRoutes({ db: { ...world.db, read: () => Promise.reject(error) } })
    const request = { params: {}, query: {}, headers: {} } as never
    const execution = route?.accept({ request, caller: operatorCaller(), idempotencyId: undefined })
    return execution && 'answer' in execution && execution.answer()
  }
  const slow = world.db.read(em => em.execute('set local statement_timeout = 1; select pg_sleep(1)'))
  const timeout = await slow.catch(error => error)
  await expect(failing(timeout)).rejects.toThrow('timeout: the ledger is too large for a request: run ledger-check')
  await expect(failing(new Error('away'))).rejects.toThrow('away')
})
