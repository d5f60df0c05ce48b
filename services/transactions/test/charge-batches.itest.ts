import type { Acquirer, ChargeOutcome } from '@cobro/acquirer'
import { type CommandData, newId } from '@cobro/contracts'
import { type Database, newRow, openDatabase } from '@cobro/database'
import { withCallContext } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { type ChargeBatches, chargeBatches } from '../src/charges/charge-batches.ts'
import { chargePayment } from '../src/charges/charge-payment.ts'
import { entities } from '../src/entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { admitAttempt, newTransactionOf } from '../src/payment-attempts/admit-attempt.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'
import { ledgerFixture } from './ledger-fixture.ts'

let world: Awaited<ReturnType<typeof ledgerFixture>>
let db: Database
/** The charge batches of two replicas. */
let replicas: ChargeBatches[]
beforeAll(async () => {
  world = await ledgerFixture()
  db = openDatabase({ url: world.database.url('transactions'), schema: 'transactions', entities })
  replicas = [chargeBatches(db), chargeBatches(db)]
})
afterAll(async () => {
  await db.close()
  await world.stop()
})

const merchant = newId('mrc')
const command = (change: object = {}): CommandData<'payment.charge'> => ({
  ...{
    payment_intent_id: newId('pi'),
    attempt: 1,
    payable_id: newId('cs'),
    payment_link_id: null,
    merchant_id: merchant,
  },
  ...{ correlation_id: newId('corr'), amount_cents: 25_000, currency: 'MXN', card: { brand: 'visa', last4: '4242' } },
  ...{
    payer_email: 'ana@example.com',
    order_id: 'A-1',
    reference: null,
    metadata: { plan: 'gold', deep: { seats: 5 } },
  },
  ...{ token: newId('tok'), deadline: new Date(Date.now() + 86_400_000), ...change },
})

/** Approves all but every third intent, which it declines, and counts the charges of each key. */
function someAcquirer() {
  const charged: string[] = []
  const outcomes = new Map<string, ChargeOutcome>()
  const charge = async ({ key }: { key: string }) => {
    charged.push(key)
    const status = charged.length % 3 === 0 ? 'declined' : 'approved'
    outcomes.set(key, { status, acquirer_reference: `ch_${charged.length}` } as ChargeOutcome)
    return outcomes.get(key)
  }
  const findCharge = async (key: string) => outcomes.get(key) ?? { status: 'processing', acquirer_reference: null }
  return { acquirer: { charge, findCharge } as unknown as Acquirer, charged }
}

test('concurrent charges, delivered twice and to two replicas, are each charged once and emitted in their own request context', async () => {
  const { acquirer, charged } = someAcquirer()
  const commands = Array.from({ length: 40 }, () => command())
  const deliveries = [...commands, ...commands.toReversed()]
  const replies = await Promise.all(
    deliveries.map((each, at) =>
      withCallContext({ request_id: `req_${each.payment_intent_id}` }, () =>
        chargePayment({ db, acquirer, batches: replicas[at % 2] as ChargeBatches }, each),
      ),
    ),
  )
  expect(charged).toHaveLength(40)
  expect(new Set(charged).size).toBe(40)
  expect(replies.filter(({ name }) => name === 'payment_attempt.settled').length).toBeGreaterThanOrEqual(40)
  const stored = await world.database.query(
    `select correlation_id, convert_from(body, 'utf8')::jsonb as message from transactions.outbox where name = 'payment_attempt.settled'`,
  )
  expect(stored).toHaveLength(40)
  for (const { correlation_id, message } of stored) {
    const command = commands.find(each => each.correlation_id === correlation_id)
    expect(message).toMatchObject({
      request_id: `req_${command?.payment_intent_id}`,
      data: { payment_intent_id: command?.payment_intent_id },
    })
  }
  const statuses = await world.database.query(
    `select status, count(*)::integer as n from transactions.transactions where metadata_terms @> '{plan=gold,deep.seats=5}'
     group by status order by status`,
  )
  expect(statuses).toEqual([
    { status: 'approved', n: 27 },
    { status: 'declined', n: 13 },
  ])
  expect(await checkLedger(db)).toMatchObject({ ok: true, transactions: 27 })
})

test('a contradicting report in a batch of charges is rejected alone, and the other charges are resolved', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => world.pending(merchant)))
  await world.approve(ids[3]!)
  const outcome = { status: 'declined', acquirer_reference: 'ch_9', decline_reason: 'expired_card' } as ChargeOutcome
  const [batches] = replicas as [ChargeBatches]
  const ended = await Promise.allSettled(ids.map(id => batches.resolve({ id, merchant_id: merchant }, outcome)))
  expect(ended.map(({ status }) => status).indexOf('rejected')).toBe(3)
  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  const rows = await Promise.all(ids.map(id => world.row(id)))
  expect(rows.map(row => row?.status)).toEqual(ids.map((_, at) => (at === 3 ? 'approved' : 'declined')))
})

test('a second attempt of an intent in the same batch as the first is never charged', async () => {
  const { acquirer, charged } = someAcquirer()
  const first = command()
  const [batches] = replicas as [ChargeBatches]
  const deps = { db, acquirer, batches }
  const replies = await Promise.all([chargePayment(deps, first), chargePayment(deps, { ...first, attempt: 2 })])
  expect(charged).toHaveLength(1)
  expect(replies.map(({ data }) => data.status).toSorted()).toEqual(['approved', 'failed'])
})

test('an attempt that another delivery admits at the same time is admitted once, and keeps its status', async () => {
  const { token: _token, deadline: _deadline, ...attempt } = command()
  const inserted = Promise.withResolvers<void>()
  const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const first = db.write(async tx => {
    const row = newRow(tx, TransactionEntity, newTransactionOf(attempt, 'pending'))
    await tx.flush()
    inserted.resolve()
    await waitFor(async () => (await world.database.query(isWaiting)).length > 0)
    return row
  })
  await inserted.promise
  const second = await admitAttempt(db, attempt, 'failed')
  const { id } = await first
  expect(second).toMatchObject({ created: false, resolution: undefined, row: { id, status: 'pending' } })
})
