import type { Acquirer, ChargeOutcome } from '@cobro/acquirer'
import { type CommandData, type Id, newId } from '@cobro/contracts'
import { type Database, migrate, openDatabase } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { migratedDatabase, type TestDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { type ChargeBatches, chargeBatches } from '../src/charges/charge-batches.ts'
import { chargePayment } from '../src/charges/charge-payment.ts'
import { resolveCharge } from '../src/charges/resolve-charge.ts'
import { entities } from '../src/entities.ts'
import { attemptResolution } from '../src/payment-attempts/attempt-resolution.ts'
import { checkPendingPayments } from '../src/pending-payments/check-pending-payments.ts'
import { resolvePayment } from '../src/pending-payments/resolve-payment.ts'
import { TransactionEntity } from '../src/transactions/transaction-entity.ts'

const logger = createLogger('transactions', 'silent')
let database: TestDatabase
let db: Database
let batches: ChargeBatches
beforeAll(async () => {
  database = await migratedDatabase({ schema: 'transactions', migrations, migrate })
  db = openDatabase({ url: database.url('transactions'), schema: 'transactions', entities })
  batches = chargeBatches(db)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const approved: ChargeOutcome = { status: 'approved', acquirer_reference: 'ch_1', risk_score: 3 }

/** A fake acquirer that returns the given outcomes and records its calls. */
function scripted(
  outcomes: Partial<
    Record<
      'charge' | 'findCharge' | 'reverseCharge',
      Awaited<ReturnType<Acquirer['charge' | 'findCharge' | 'reverseCharge']>>
    >
  >,
) {
  const calls: string[] = []
  const respond = (what: keyof typeof outcomes) => async (input: unknown) => {
    calls.push(`${what} ${typeof input === 'string' ? input : (input as { key: string }).key}`)
    const outcome = outcomes[what]
    if (!outcome) throw new Error(`${what} was not expected`)
    return outcome as never
  }
  const acquirer = {
    charge: respond('charge'),
    findCharge: respond('findCharge'),
    reverseCharge: respond('reverseCharge'),
  } as unknown as Acquirer
  return { acquirer, calls }
}

function command(change: Partial<CommandData<'payment.charge'>> = {}): CommandData<'payment.charge'> {
  return {
    payment_intent_id: newId('pi'),
    attempt: 1,
    payable_id: newId('cs'),
    payment_link_id: null,
    merchant_id: newId('mrc'),
    correlation_id: newId('corr'),
    amount_cents: 25_000,
    currency: 'MXN',
    card: { brand: 'visa', last4: '4242' },
    payer_email: 'ana@example.com',
    order_id: 'A-1',
    reference: null,
    metadata: { plan: 'gold' },
    token: newId('tok'),
    deadline: new Date(Date.now() + 86_400_000),
    ...change,
  }
}

const rowsOf = (payment_intent_id: Id<'pi'>) =>
  db.read(em => em.find(TransactionEntity, { payment_intent_id }, { orderBy: { attempt: 'asc' } }))
const eventsOf = async (correlation_id: string) =>
  (
    await db.read(em =>
      em.execute<{ name: string }[]>('select name from transactions.outbox where correlation_id = ? order by id', [
        correlation_id,
      ]),
    )
  ).map(row => row.name)
const due = (id: string) =>
  db.read(em =>
    em.execute(`update transactions.transactions set next_check_at = now() - interval '1 second' where id = ?`, [id]),
  )
const older = (id: string) =>
  db.read(em =>
    em.execute(`update transactions.transactions set created_at = created_at - interval '2 minutes' where id = ?`, [
      id,
    ]),
  )

test('an approved charge stores a transaction, emits its event, and replies under the same event id', async () => {
  const { acquirer, calls } = scripted({ charge: approved })
  const charge = command()
  const reply = await chargePayment({ db, batches, acquirer }, charge)
  const [row] = await rowsOf(charge.payment_intent_id)
  expect(calls).toEqual([`charge ${charge.payment_intent_id}:1`])
  expect(row).toMatchObject({
    status: 'approved',
    amount_cents: 25_000,
    order_id: 'A-1',
    payer_email: 'ana@example.com',
    metadata: { plan: 'gold' },
    card: { brand: 'visa', last4: '4242' },
    rail: 'online_cnp',
    risk_score: 3,
    settled_event_id: reply.id,
    captured_at: expect.any(Date),
    next_check_at: null,
  })
  expect(reply).toMatchObject({
    name: 'payment_attempt.settled',
    data: { status: 'approved', transaction_id: row?.id },
  })
  expect(await eventsOf(charge.correlation_id)).toEqual(['payment.approved', 'payment_attempt.settled'])
})

test('a repeated charge command gets the same reply and charges nothing', async () => {
  const charge = command()
  const first = await chargePayment({ db, batches, acquirer: scripted({ charge: approved }).acquirer }, charge)
  const again = await chargePayment({ db, batches, acquirer: scripted({}).acquirer }, charge)
  expect([again.id, again.data]).toEqual([first.id, first.data])
  expect(await eventsOf(charge.correlation_id)).toHaveLength(2)
})

test('fifty concurrent deliveries of one charge command make one charge and one transaction', async () => {
  const { acquirer, calls } = scripted({
    charge: approved,
    findCharge: { status: 'processing', acquirer_reference: null },
  })
  const charge = command()
  await Promise.all(Array.from({ length: 50 }, () => chargePayment({ db, batches, acquirer }, charge)))
  expect(calls.filter(line => line.startsWith('charge'))).toHaveLength(1)
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([{ status: 'approved' }])
})

test('after a crash between charge and outcome the acquirer is asked for the outcome and not charged again', async () => {
  const charge = command()
  const crashed = scripted({})
  await expect(chargePayment({ db, batches, acquirer: crashed.acquirer }, charge)).rejects.toThrow('not expected')
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([{ status: 'pending' }])
  const { acquirer, calls } = scripted({ findCharge: approved })
  expect((await chargePayment({ db, batches, acquirer }, charge)).data).toMatchObject({ status: 'approved' })
  expect(calls).toEqual([`findCharge ${charge.payment_intent_id}:1`])
})

test('a charge command past its deadline fails, unless its attempt was already admitted', async () => {
  const late = command({ deadline: new Date(Date.now() - 1) })
  const reply = await chargePayment({ db, batches, acquirer: scripted({}).acquirer }, late)
  expect(reply.data).toMatchObject({ status: 'failed', decline_reason: 'processing_error' })
  expect(await eventsOf(late.correlation_id)).toEqual(['payment.failed', 'payment_attempt.settled'])
})

test('a second attempt of a paid intent is never charged', async () => {
  const charge = command()
  await chargePayment({ db, batches, acquirer: scripted({ charge: approved }).acquirer }, charge)
  const reply = await chargePayment({ db, batches, acquirer: scripted({}).acquirer }, { ...charge, attempt: 2 })
  expect(reply.data).toMatchObject({ attempt: 2, status: 'failed' })
  expect((await rowsOf(charge.payment_intent_id)).map(row => row.status)).toEqual(['approved', 'failed'])
})

test('a declined charge keeps its decline reason, and the next attempt may be approved', async () => {
  const charge = command()
  const declined = scripted({
    charge: { status: 'declined', acquirer_reference: 'ch_2', decline_reason: 'stolen_card', risk_score: 80 },
  })
  await chargePayment({ db, batches, acquirer: declined.acquirer }, charge)
  await chargePayment({ db, batches, acquirer: scripted({ charge: approved }).acquirer }, { ...charge, attempt: 2 })
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([
    { status: 'declined', decline_reason: 'stolen_card' },
    { status: 'approved' },
  ])
})

test('a charge with an unknown outcome stays pending and is checked until the outcome is known', async () => {
  const charge = command()
  const unknown = scripted({ charge: { status: 'processing', acquirer_reference: null } })
  expect((await chargePayment({ db, batches, acquirer: unknown.acquirer }, charge)).name).toBe(
    'payment_attempt.pending',
  )
  const [row] = await rowsOf(charge.payment_intent_id)
  expect(row).toMatchObject({ status: 'pending', check_count: 0 })
  await due(row!.id)
  const { acquirer, calls } = scripted({ findCharge: approved })
  await Promise.all([checkPendingPayments({ db, acquirer }, logger), checkPendingPayments({ db, acquirer }, logger)])
  expect(calls).toEqual([`findCharge ${charge.payment_intent_id}:1`])
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([{ status: 'approved' }])
})

test('a charge that the acquirer does not find fails only after a reversal, a minute later', async () => {
  const charge = command()
  const lost = scripted({ charge: { status: 'not_found' } })
  await chargePayment({ db, batches, acquirer: lost.acquirer }, charge)
  const [row] = await rowsOf(charge.payment_intent_id)
  await due(row!.id)
  const early = scripted({ findCharge: { status: 'not_found' } })
  await checkPendingPayments({ db, acquirer: early.acquirer }, logger)
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([{ status: 'pending' }])
  await older(row!.id)
  await due(row!.id)
  const reversed = scripted({ findCharge: { status: 'not_found' }, reverseCharge: { status: 'reversed' } })
  await checkPendingPayments({ db, acquirer: reversed.acquirer }, logger)
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([
    { status: 'failed', decline_reason: 'processing_error' },
  ])
  expect(await eventsOf(charge.correlation_id)).toEqual(['payment.failed', 'payment_attempt.settled'])
})

test('a reversal that reports an approval approves the transaction', async () => {
  const charge = command()
  await chargePayment({ db, batches, acquirer: scripted({ charge: { status: 'not_found' } }).acquirer }, charge)
  const [row] = await rowsOf(charge.payment_intent_id)
  await older(row!.id)
  await due(row!.id)
  await checkPendingPayments(
    { db, acquirer: scripted({ findCharge: { status: 'not_found' }, reverseCharge: approved }).acquirer },
    logger,
  )
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([{ status: 'approved' }])
})

test('resolving an unknown attempt fails it for good, so that a later charge command is rejected', async () => {
  const { token, deadline, ...attempt } = command()
  await resolvePayment({ db, acquirer: scripted({}).acquirer }, attempt)
  expect(await eventsOf(attempt.correlation_id)).toEqual(['payment.failed', 'payment_attempt.settled'])
  const reply = await chargePayment({ db, batches, acquirer: scripted({}).acquirer }, { ...attempt, token, deadline })
  expect(reply.data).toMatchObject({ status: 'failed' })
})

test('resolving an attempt with an outcome emits the outcome again', async () => {
  const charge = command()
  await chargePayment({ db, batches, acquirer: scripted({ charge: approved }).acquirer }, charge)
  const { token: _token, deadline: _deadline, ...attempt } = charge
  await resolvePayment({ db, acquirer: scripted({}).acquirer }, attempt)
  expect(await eventsOf(charge.correlation_id)).toEqual([
    'payment.approved',
    'payment_attempt.settled',
    'payment_attempt.settled',
  ])
})

test('a charge that never reached the acquirer is reversed after a minute, however often checkout asks in between', async () => {
  const charge = command()
  await expect(chargePayment({ db, batches, acquirer: scripted({}).acquirer }, charge)).rejects.toThrow('not expected')
  const { token: _token, deadline: _deadline, ...attempt } = charge
  const notFound = { findCharge: { status: 'not_found' as const } }
  for (let i = 0; i < 12; i++) await resolvePayment({ db, acquirer: scripted(notFound).acquirer }, attempt)
  const [row] = await rowsOf(charge.payment_intent_id)
  expect(row).toMatchObject({ status: 'pending', check_count: 0 })
  expect(row!.next_check_at!.getTime()).toBeLessThan(Date.now() + 3_000)
  await older(row!.id)
  await due(row!.id)
  await checkPendingPayments(
    { db, acquirer: scripted({ ...notFound, reverseCharge: { status: 'reversed' } }).acquirer },
    logger,
  )
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([{ status: 'failed' }])
})

test('a check without an outcome delays the next check according to the schedule', async () => {
  const charge = command()
  await chargePayment(
    { db, batches, acquirer: scripted({ charge: { status: 'processing', acquirer_reference: null } }).acquirer },
    charge,
  )
  for (const delayMs of [5_000, 15_000, 60_000]) {
    const [row] = await rowsOf(charge.payment_intent_id)
    await due(row!.id)
    const before = Date.now()
    await checkPendingPayments(
      { db, acquirer: scripted({ findCharge: { status: 'processing', acquirer_reference: null } }).acquirer },
      logger,
    )
    const [after] = await rowsOf(charge.payment_intent_id)
    const checkedAt = after!.next_check_at!.getTime() - delayMs
    expect(checkedAt).toBeGreaterThanOrEqual(before)
    expect(checkedAt).toBeLessThanOrEqual(Date.now())
  }
})

test('a report that contradicts the stored outcome of a charge throws and changes nothing', async () => {
  const charge = command()
  await chargePayment({ db, batches, acquirer: scripted({ charge: { status: 'not_found' } }).acquirer }, charge)
  const [row] = await rowsOf(charge.payment_intent_id)
  const resolve = (outcome: Parameters<typeof resolveCharge>[3]) =>
    db.write((tx, emit) => resolveCharge(tx, emit, row!.id, outcome))
  const first = await resolve(approved)
  expect((await resolve(approved))?.id).toBe(first?.id)
  await expect(resolve({ status: 'declined', acquirer_reference: null })).rejects.toThrow(
    'is approved, and the acquirer says declined',
  )
  expect(await rowsOf(charge.payment_intent_id)).toMatchObject([{ status: 'approved' }])
})

test.each([
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['refunded', 'approved'],
  ['chargeback', 'approved'],
])('a %s transaction is reported to checkout as %s', (status, reported) => {
  const row = {
    payment_intent_id: 'pi',
    attempt: 1,
    status,
    settled_event_id: 'evt',
    merchant_id: null,
    correlation_id: null,
  }
  expect(attemptResolution({ ...row, id: newId('txn'), payment_intent_id: newId('pi') } as never)?.data.status).toBe(
    reported,
  )
})
