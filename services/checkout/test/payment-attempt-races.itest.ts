import { type EventData, newId } from '@cobro/contracts'
import { type Database, migrate, openDatabase } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { migratedDatabase, type TestDatabase, waitFor } from '@cobro/testing'
import { LockMode } from '@mikro-orm/core'
import { migrations } from '../migrations/all-checkout.ts'
import { openSession } from '../src/checkout-sessions/open-session.ts'
import { MerchantEntity } from '../src/merchants/merchant-entity.ts'
import { LinkEntity } from '../src/payables/link-entity.ts'
import { SessionEntity } from '../src/payables/session-entity.ts'
import { beginAttempt } from '../src/payment-attempts/begin-attempt.ts'
import { completeAttempt } from '../src/payment-attempts/complete-attempt.ts'
import { failUnsentAttempt } from '../src/payment-attempts/fail-unsent-attempt.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from '../src/payment-attempts/payment-attempt-entity.ts'
import { readPaymentResponse } from '../src/payment-attempts/payment-response.ts'
import { resolveAttempts } from '../src/payment-attempts/resolve-attempts.ts'
import { defaultLimits } from '../src/velocity-rules/velocity-settings.ts'

const logger = createLogger('checkout', 'silent')
const entities = [SessionEntity, LinkEntity, PaymentAttemptEntity, MerchantEntity]

let database: TestDatabase
let db: Database
beforeEach(async () => {
  database = await migratedDatabase({ schema: 'checkout', migrations, migrate })
  db = openDatabase({ url: database.url('checkout'), schema: 'checkout', entities })
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

const rules = { environment: 'sandbox', currencies: ['MXN'], hostedUrl: 'https://pay.example.com' } as const

/** Opens a session and begins to pay it, as a payer's call that then dies. */
async function begin(method: 'card' | 'cash' = 'card'): Promise<PaymentAttemptRow> {
  const { id } = await openSession({ db, rules }, keyCaller(), {
    amount_total: 25_000,
    return_url: 'https://shop.mx/back',
    payment_method_types: ['card', 'cash'],
  })
  return (await beginAttempt({ db, limits: defaultLimits }, id, { method })).attempt
}

const outcomeOf = (
  { payment_intent_id, number }: PaymentAttemptRow,
  status: EventData<'payment_attempt.settled'>['status'],
): EventData<'payment_attempt.settled'> => ({
  ...{ payment_intent_id, attempt: number, status, voucher: null, transaction_id: newId('txn') },
  decline_reason: status === 'declined' ? 'insufficient_funds' : null,
})
const complete = (outcome: EventData<'payment_attempt.settled'>) =>
  db.write((tx, emit) => completeAttempt(tx, emit, outcome))

const attemptOf = async ({ payment_intent_id }: PaymentAttemptRow) =>
  (
    await database.query(
      'select status, resolve_count, transaction_id from checkout.payment_attempts where payment_intent_id = $1',
      [payment_intent_id],
    )
  )[0]
const sessionOf = async ({ payable_id }: PaymentAttemptRow) =>
  (
    await database.query(
      'select status, transaction_status, decline_count from checkout.checkout_sessions where id = $1',
      [payable_id],
    )
  )[0]
/** Returns the names of the messages that were committed after the session was opened. */
const messages = async () =>
  (await database.query(`select name from checkout.outbox where name <> 'checkout_session.created' order by id`)).map(
    ({ name }) => name,
  )
const makeDue = (attempts: PaymentAttemptRow[]) =>
  database.query('update checkout.payment_attempts set resolve_at = now() where payable_id = any($1)', [
    attempts.map(({ payable_id }) => payable_id),
  ])

/** Locks attempts, starts `work`, and lets it continue once `count` of its queries wait and `meanwhile` has run. */
async function whileLocked(
  attempts: PaymentAttemptRow[],
  { count, work, meanwhile }: { count: number; work: () => Promise<unknown>; meanwhile?: () => Promise<unknown> },
): Promise<void> {
  let working: Promise<unknown> | undefined
  await db.write(async tx => {
    const ids = attempts.map(({ payable_id }) => payable_id)
    await tx.find(PaymentAttemptEntity, { payable_id: { $in: ids } }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    working = work()
    await waitFor(async () => (await waitingQueries()) === count)
    await meanwhile?.()
  })
  await working
}
const waitingQueries = async (): Promise<number> =>
  (
    await database.query(
      `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0].waiting
const resolve = () => resolveAttempts(db, logger, new AbortController().signal)

test('two replicas that find the same attempt due ask for its outcome once', async () => {
  const attempt = await begin()
  await makeDue([attempt])
  await whileLocked([attempt], { count: 2, work: () => Promise.all([resolve(), resolve()]) })
  expect(await messages()).toEqual(['payment.resolve'])
  expect(await attemptOf(attempt)).toMatchObject({ status: 'running', resolve_count: 1 })
})

test('an attempt whose outcome arrives while it waits for its turn is not resolved', async () => {
  const attempts = await Promise.all(Array.from({ length: 5 }, () => begin()))
  await makeDue(attempts)
  const [last, ...first] = attempts.toReversed() as [PaymentAttemptRow, ...PaymentAttemptRow[]]
  await database.query(
    "update checkout.payment_attempts set resolve_at = now() - interval '1 hour' where payable_id <> $1",
    [last.payable_id],
  )
  const logged = jest.spyOn(logger, 'error')
  // Four attempts are resolved at the same time.
  await whileLocked(first, { count: 4, work: resolve, meanwhile: () => complete(outcomeOf(last, 'approved')) })
  expect((await messages()).filter(name => name === 'payment.resolve')).toHaveLength(4)
  expect(await attemptOf(last)).toMatchObject({ status: 'approved', resolve_count: 0 })
  expect(logged).not.toHaveBeenCalled()
})

test('a call that could not send its command leaves an attempt running that transactions was asked about', async () => {
  const attempt = await begin()
  await makeDue([attempt])
  await resolve()
  await db.write((tx, emit) => failUnsentAttempt(tx, emit, attempt))
  expect(await attemptOf(attempt)).toMatchObject({ status: 'running' })
  expect(await messages()).toEqual(['payment.resolve'])
})

test('an outcome that arrives again under another message id changes and emits nothing', async () => {
  const attempt = await begin()
  const outcome = outcomeOf(attempt, 'approved')
  await complete(outcome)
  const before = [await attemptOf(attempt), await sessionOf(attempt), await messages()]
  await complete({ ...outcome, transaction_id: newId('txn') })
  expect([await attemptOf(attempt), await sessionOf(attempt), await messages()]).toEqual(before)
  expect(before[0]).toMatchObject({ status: 'approved', transaction_id: outcome.transaction_id })
})

test('a decline of a cancelled session ends its attempt and does not count', async () => {
  const attempt = await begin()
  await database.query("update checkout.checkout_sessions set status = 'cancelled', transaction_status = 'Cancelled'")
  await complete(outcomeOf(attempt, 'declined'))
  expect(await attemptOf(attempt)).toMatchObject({ status: 'declined' })
  expect(await sessionOf(attempt)).toEqual({
    ...{ status: 'cancelled', transaction_status: 'Cancelled', decline_count: 0 },
  })
})

test.each(['expired', 'cancelled'] as const)('answers 409 for a payment in cash whose voucher is %s', async status => {
  const attempt = await begin('cash')
  await complete(outcomeOf(attempt, 'pending'))
  await complete(outcomeOf(attempt, status))
  await expect(readPaymentResponse(db, attempt)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`the voucher is ${status}`),
  })
})
