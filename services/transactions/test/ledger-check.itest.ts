import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { takeSnapshot } from '../src/balance-snapshots/take-snapshot.ts'
import { openDispute } from '../src/disputes/change-dispute.ts'
import { lockMerchantLedger } from '../src/ledger/merchant-ledgers.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
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

const schema = 'transactions'
const today = dayOf(new Date())
const byHand = { payment_intent_id: null, attempt: null }
/** Four payments: one settled, one given back, one disputed and one that was deleted; and a snapshot of a day that is over. */
async function merchantWithBooks() {
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
    await matureLedger({ tx, schema, ledger, day: today, now })
    const period = { period_start: today, period_end: today, minimum: 0n, reference: null }
    return createSettlement({ tx, emit, schema, ledger, now, ...period })
  })
  await world.refund(refunded)
  const dispute = await openDispute(world.db, operator, { transaction_id: disputed, reason: 'fraudulent' })
  const past = addDays(today, -2)
  const snapshot = await world.db.write((tx, emit) => takeSnapshot({ tx, emit, schema, ledger, day: past }))
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
type Ids = Awaited<ReturnType<typeof merchantWithBooks>>['ids']

const query = (sql: string, given: unknown[]) => world.database.query(sql, given)
/** Changes the entry of an event, and gives its id. */
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
/** Slips an entry in, and gives its id. */
const slipped =
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
  const { check } = await merchantWithBooks()
  expect(await check()).toMatchObject({ ok: true, transactions: 4, first_fault: null })
})

test.each([
  [
    'a settlement that there is none of',
    'entry',
    slipped('settlement_made', 'merchant_available', 'payouts', { source: 'none' }),
  ],
  [
    'a settlement that is a payment',
    'entry',
    slipped('settlement_paid', 'payouts', 'receivable_acquirer', { transaction: 'settled', source: 'settlement' }),
  ],
  ['a capture of no payment', 'entry', slipped('capture', 'receivable_acquirer', 'merchant_available')],
  [
    'a refund that there is none of',
    'entry',
    slipped('refund', 'merchant_available', 'receivable_acquirer', { transaction: 'settled' }),
  ],
  [
    'a dispute of another payment',
    'entry',
    slipped('dispute_lost', 'merchant_disputed', 'receivable_acquirer', { transaction: 'settled', source: 'dispute' }),
  ],
  [
    'accounts that maturing has nothing to do with',
    'entry',
    slipped('matured', 'fee_revenue', 'receivable_acquirer', { transaction: 'settled' }),
  ],
  [
    'an event that there is none of',
    'entry',
    slipped('gift', 'receivable_acquirer', 'payouts', { transaction: 'settled' }),
  ],
  ["another merchant's capture", 'entry', changed("merchant_id = 'mrc_1'", 'capture')],
  ['a capture in another currency', 'entry', changed("currency = 'USD'", 'capture')],
  ["another merchant's payout", 'entry', changed("merchant_id = 'mrc_1'", 'settlement_made')],
  [
    'how much matured',
    'position',
    async (ids: Ids) => {
      await changed('amount_cents = amount_cents + 1', 'matured')(ids)
      return ids.settled
    },
  ],
  ['what a payment has on the accounts', 'position', set('ledger_positions', 'available_cents = 0', 'settled')],
  ["another merchant's position", 'position', set('ledger_positions', "merchant_id = 'mrc_1'", 'settled')],
  ['the amount of a payment', 'transaction', set('transactions', 'amount_cents = 1', 'settled')],
  ['its fee', 'transaction', set('transactions', 'fee_cents = 1', 'settled')],
  ['that it was given back', 'transaction', set('transactions', 'refunded_at = null', 'refunded')],
  ['that it is pending', 'status', set('transactions', "status = 'pending'", 'settled')],
  ['that it is disputed', 'status', set('transactions', "status = 'chargeback'", 'settled')],
  ['that it is not disputed', 'status', set('transactions', "status = 'approved'", 'disputed')],
  ['that it was not given back', 'status', set('transactions', "status = 'approved'", 'refunded')],
  ['that it was deleted', 'deletion', set('transactions', 'deleted_at = now()', 'disputed')],
  [
    'that one which was paid out was deleted',
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
    'a hold that was held later than it was taken',
    'hold',
    async (ids: Ids) => {
      await query(
        "update transactions.ledger_entries set day = day + 1 where transaction_id = $1 and event = 'capture'",
        [ids.refunded],
      )
      return ids.refunded
    },
  ],
  ['that all of it was settled', 'unsettled', set('ledger_positions', 'unsettled = false', 'refunded')],
  ['the amount of a dispute', 'dispute', set('disputes', 'amount_cents = 1', 'dispute')],
  ['that a dispute was lost', 'dispute', set('disputes', "status = 'lost'", 'dispute')],
  ['the currency of a dispute', 'dispute', set('disputes', "currency = 'USD'", 'dispute')],
  ["another merchant's settlement", 'settlement', set('settlements', "merchant_id = 'mrc_1'", 'settlement')],
  ['how many payments a settlement has', 'settlement', set('settlements', 'transaction_count = 999', 'settlement')],
  [
    'what a settlement comes to',
    'settlement',
    set('settlements', 'gross_cents = gross_cents + 1, fee_cents = fee_cents + 1', 'settlement'),
  ],
  ['that a settlement was paid', 'payout', set('settlements', "status = 'paid'", 'settlement')],
  [
    'what a merchant had at the end of a day',
    'balance_snapshot',
    set('balance_snapshots', 'available_cents = 123456789', 'snapshot'),
  ],
] as const)('the ledger check names %s', async (_what, kind, tamper) => {
  const { ids, check } = await merchantWithBooks()
  const id = await tamper(ids)
  expect(await check()).toMatchObject({ ok: false, first_fault: { kind, id } })
})
