import { type EventData, newId } from '@cobro/contracts'
import { type Database, inboxOf } from '@cobro/database'
import { createLogger, startInterval } from '@cobro/runtime'
import { type AttemptOutcomes, attemptOutcomes, type PayingCall } from '../src/payment-attempts/attempt-outcomes.ts'
import { beginAttempt } from '../src/payment-attempts/begin-attempt.ts'
import { payers } from './payers.ts'

let world: Awaited<ReturnType<typeof payers>>
let outcomes: AttemptOutcomes
beforeAll(async () => {
  world = await payers()
  outcomes = attemptOutcomes(inboxOf(world.db), world.db.schema, world.limits)
})
afterAll(() => world?.stop())

const begin = async (): Promise<PayingCall> => ({
  attempt: (await beginAttempt(world, await world.session(), { method: 'card' })).attempt,
})
const approvalOf = ({ attempt }: PayingCall): EventData<'payment_attempt.settled'> => ({
  ...{ payment_intent_id: attempt.payment_intent_id, attempt: attempt.number, status: 'approved' },
  ...{ transaction_id: newId('txn'), decline_reason: null, voucher: null },
})
const statusOf = async ({ attempt }: PayingCall) =>
  (
    await world.database.query('select status from checkout.payment_attempts where payment_intent_id = $1', [
      attempt.payment_intent_id,
    ])
  )[0].status

test('an event that comes before the reply completes the call that waits, and the reply changes nothing', async () => {
  const call = await begin()
  const [id, approval] = [newId('evt'), approvalOf(call)]
  await outcomes.awaiting(call, async ended => {
    await outcomes.apply(id, approval)
    await ended
    const completed = call.completed
    expect(completed).toMatchObject({ attempt: { status: 'approved' }, payable: { status: 'completed' } })
    await outcomes.applyReply(id, approval, call)
    expect(call.completed).toBe(completed)
  })
})

/** Begins an attempt for a call with an Idempotency-Key, whose lease it takes. */
async function beginKeyed(): Promise<PayingCall> {
  const idempotencyId = newId('req')
  await world.database.query(
    `insert into checkout.idempotency_keys (id, body_hash, lease_token, lease_until) values ($1, '', '', now() + interval '1 minute')`,
    [idempotencyId],
  )
  const payment = { method: 'card', idempotencyId } as const
  return { attempt: (await beginAttempt(world, await world.session(), payment)).attempt }
}
const keyOf = async ({ attempt }: PayingCall) =>
  (
    await world.database.query('select status, answer from checkout.idempotency_keys where id = $1', [
      attempt.idempotency_id,
    ])
  )[0]

test.each([
  ['the reply', (call: PayingCall) => outcomes.applyReply(newId('evt'), approvalOf(call), call)],
  ['an event before the reply', (call: PayingCall) => outcomes.apply(newId('evt'), approvalOf(call))],
])('the outcome of a call with an Idempotency-Key from %s is stored with its response', async (_source, apply) => {
  const call = await beginKeyed()
  await outcomes.awaiting(call, () => apply(call))
  expect(call.completed?.isStored).toBe(true)
  expect(await keyOf(call)).toEqual({ status: 200, answer: expect.stringContaining('"status":"approved"') })
})

test('a decline, and an outcome for which no call waits, are stored without a response', async () => {
  const [declined, ended] = [await beginKeyed(), await beginKeyed()]
  const decline = { ...approvalOf(declined), status: 'declined', decline_reason: 'card_declined' } as const
  await outcomes.applyReply(newId('evt'), decline, declined)
  await outcomes.apply(newId('evt'), approvalOf(ended))
  expect([declined.completed?.isStored, ended.completed]).toEqual([false, undefined])
  expect(await Promise.all([declined, ended].map(keyOf))).toEqual(Array(2).fill({ status: null, answer: null }))
})

test('a reply and an event at the same time complete the call once', async () => {
  const calls = await Promise.all(Array.from({ length: 10 }, begin))
  for (const call of calls) {
    const [id, approval] = [newId('evt'), approvalOf(call)]
    await outcomes.awaiting(call, async () => {
      await Promise.all([outcomes.applyReply(id, approval, call), outcomes.apply(id, approval)])
      expect(call.completed?.attempt.status).toBe('approved')
    })
  }
})

test('an event does not complete a call whose wait has ended, nor one for another attempt', async () => {
  const [ended, other, call] = [await begin(), await begin(), await begin()]
  let resolved = 0
  const count = (completed: Promise<undefined>) => void completed.then(() => resolved++)
  await outcomes.awaiting(ended, async completed => count(completed))
  await outcomes.awaiting(other, completed => {
    count(completed)
    return outcomes.apply(newId('evt'), approvalOf(call))
  })
  await outcomes.apply(newId('evt'), approvalOf(ended))
  expect([ended.completed, other.completed, resolved]).toEqual([undefined, undefined, 0])
  expect(await Promise.all([ended, other, call].map(statusOf))).toEqual(['approved', 'running', 'approved'])
})

test('a call is not complete if the commit of its outcome fails', async () => {
  const call = await beginKeyed()
  const unavailable = attemptOutcomes(
    {
      ...inboxOf(world.db),
      once: (_id, effect) =>
        world.db.writeSeparately(async (...transaction) => {
          await effect(...transaction)
          throw new Error('not now')
        }),
    },
    world.db.schema,
    world.limits,
  )
  await expect(unavailable.applyReply(newId('evt'), approvalOf(call), call)).rejects.toThrow('not now')
  let resolved = false
  await unavailable.awaiting(call, async completed => {
    void completed.then(() => (resolved = true))
    await expect(unavailable.apply(newId('evt'), approvalOf(call))).rejects.toThrow('not now')
  })
  expect([call.completed, resolved, await statusOf(call)]).toEqual([undefined, false, 'running'])
  expect(await keyOf(call)).toEqual({ status: null, answer: null })
})

test('the outcome of another attempt is no reply to a call', async () => {
  const [call, other] = [await begin(), await begin()]
  const mistaken = outcomes.applyReply(newId('evt'), approvalOf(other), call)
  await expect(mistaken).rejects.toThrow('does not exist')
  expect(await Promise.all([call, other].map(statusOf))).toEqual(['running', 'running'])
})

const logger = createLogger('checkout', 'silent')

test('a call whose reply is lost is answered once an event completes its attempt in this process', async () => {
  const answer = world.pay(await world.session(), { byEvent: ({ id, data }, own) => own.apply(id, data) })
  expect(await answer).toBe('approved')
})

test('a call whose reply is lost is answered once it is read that another process has completed its attempt', async () => {
  let reading: ReturnType<typeof startInterval> | undefined
  const byEvent: Parameters<typeof world.pay>[1] = {
    byEvent: async ({ id, data }, own) => {
      reading = startInterval(50, 'find completed attempts', () => own.findCompleted(world.db), logger)
      await outcomes.apply(id, data)
    },
  }
  const answer = await world.pay(await world.session(), byEvent)
  await reading?.stop()
  expect(answer).toBe('approved')
})

test('completed attempts are read with one query for all calls that wait, and with none while no call waits', async () => {
  const [running, declined, failed] = [await begin(), await begin(), await begin()]
  const texts: string[] = []
  const execute: Database['execute'] = (text, params) => {
    texts.push(text)
    return world.db.execute(text, params)
  }
  const read = () => outcomes.findCompleted({ schema: world.db.schema, execute })
  await read()
  expect(texts).toEqual([])
  const resolved: PayingCall[] = []
  const ended = Promise.withResolvers<void>()
  const waiting = [running, declined, failed].map(call =>
    outcomes.awaiting(call, async completed => {
      void completed.then(() => resolved.push(call))
      await ended.promise
    }),
  )
  const elsewhere = attemptOutcomes(inboxOf(world.db), world.db.schema, world.limits)
  await elsewhere.apply(newId('evt'), { ...approvalOf(declined), status: 'declined', decline_reason: 'do_not_honor' })
  await elsewhere.apply(newId('evt'), { ...approvalOf(failed), status: 'failed', decline_reason: 'processing_error' })
  await read()
  expect(texts).toHaveLength(1)
  expect(new Set(resolved)).toEqual(new Set([declined, failed]))
  ended.resolve()
  await Promise.all(waiting)
  await read()
  expect(texts).toHaveLength(1)
})
