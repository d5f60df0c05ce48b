import type { Caller } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { timings } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import type { SessionRow } from '../src/payables/session-entity.ts'
import { checkoutUnderTest, fakeTransactions, outcomeMessage } from './checkout-under-test.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>
let service: Service
let transactions: ReturnType<typeof fakeTransactions> | undefined
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterEach(async () => {
  await transactions?.stop()
  transactions = undefined
})
afterAll(() => service.stop())

const merchant = keyCaller()
const payer = { kind: 'payer' } as const
const sessions = '/checkout/v1/sessions'
const order = { amount_total: 25_000, return_url: 'https://shop.mx/back' }

let keys = 0
const newKey = () => `order-${++keys}`
const post = async (path: string, key: string | undefined, body: object, caller: Caller = merchant) => {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      ...(await service.headers(caller)),
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed') === 'true',
    body: (await response.json()) as any,
  }
}
const open = async () => (await post(sessions, undefined, order)).body
const count = async () =>
  Number((await service.database.query('select count(*) from checkout.checkout_sessions'))[0].count)

describe('opening a session with an idempotency key', () => {
  test('opens one session for fifty concurrent calls with the same key, and emits one event', async () => {
    const key = newKey()
    const before = await count()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(sessions, key, order)))
    expect((await count()) - before).toBe(1)
    const [made, ...more] = answers.filter(({ status, replayed }) => status === 201 && !replayed)
    expect(more).toEqual([])
    for (const answer of answers.filter(answer => answer !== made)) {
      if (answer.replayed) expect(answer).toEqual({ ...made, replayed: true })
      else expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('still running')])
    }
    expect(await post(sessions, key, order)).toEqual({ ...made, replayed: true })
    await waitFor(() => service.tap.names(made?.body.correlation_id).includes('checkout_session.created'))
    expect(service.tap.names(made?.body.correlation_id)).toEqual(['checkout_session.created'])
  })

  test('rejects another body with a used key with 422', async () => {
    const key = newKey()
    await post(sessions, key, order)
    const answer = await post(sessions, key, { ...order, amount_total: 25_001 })
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringMatching(/^idempotency_mismatch: /)])
  })

  test('opens a session with the key of a call that was rejected', async () => {
    const key = newKey()
    expect((await post(sessions, key, { ...order, currency: 'XXX' })).status).toBe(400)
    expect(await post(sessions, key, order)).toMatchObject({ status: 201, replayed: false })
  })

  test('opens separate sessions for two merchants with the same key', async () => {
    const key = newKey()
    const mine = await post(sessions, key, order)
    const theirs = await post(sessions, key, order, keyCaller())
    expect([theirs.status, theirs.replayed]).toEqual([201, false])
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  test('replays a cancellation with the same key instead of answering 409', async () => {
    const session = await open()
    const cancel = () => post(`${sessions}/${session.id}/cancel`, 'cancel', {})
    const first = await cancel()
    expect(first).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(await cancel()).toEqual({ ...first, replayed: true })
  })
})

describe('paying with an idempotency key', () => {
  const pay = (session: { id: string }, key: string, jwe = 'jwe') =>
    post(`/hosted/v1/checkout/${session.id}/payments`, key, { method: 'card', card_jwe: jwe }, payer)
  const attempts = (session: { id: string }) =>
    service.database.query(
      'select number, status, payment_intent_id from checkout.payment_attempts where payable_id = $1 order by number',
      [session.id],
    )
  /** Restores the state of a process that died before it stored its answer. */
  const forgetAnswers = () =>
    service.database.query(
      `update checkout.idempotency_keys set status = null, answer = null, lease_until = now() where lease_token is not null`,
    )
  const approve = async (session: Pick<SessionRow, 'id' | 'merchant_id' | 'correlation_id'>) => {
    const [attempt] = await attempts(session)
    const about = { payment_intent_id: attempt.payment_intent_id, attempt: attempt.number, payable_id: session.id }
    await transactions?.publish(outcomeMessage({ ...session, ...about }, { status: 'approved' }))
    await waitFor(async () => (await attempts(session))[0].status === 'approved')
  }

  test('charges once for fifty concurrent payments with the same key, and replays the answer', async () => {
    transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
    await waitFor(async () => (await pay(await open(), 'first')).status === 200)
    const session = await open()
    const before = transactions.commands.length
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay(session, 'pay')))
    expect(transactions.commands.length - before).toBe(1)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const again = await pay(session, 'pay')
    expect(again).toMatchObject({ status: 200, replayed: true, body: { status: 'approved' } })
    expect(again.body).toEqual(answers.find(({ status }) => status === 200)?.body)
  })

  const openLink = async () =>
    (await post('/checkout/v1/links', undefined, { concepto: 'Curso', amount_cents: 1_000 })).body.data
  const payLink = ({ id }: { id: string }, key: string) =>
    post(`/hosted/v1/links/${id}/payments`, key, { method: 'card', card_jwe: 'jwe' }, payer)

  test.each([
    ['payment of a session whose outcome is a reply', 'reply', open, pay],
    ['payment of a session whose outcome is an event', 'event', open, pay],
    ['payment of a session whose outcome is both at once', 'both', open, pay],
    ['payment of a link', 'both', openLink, payLink],
  ] as const)(
    'stores the answer to an approved %s in the transaction of the outcome',
    async (_, via, openPayable, payIt) => {
      transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }), via)
      const payable = await openPayable()
      const startedAt = performance.now()
      const first = await payIt(payable, newKey())
      expect(first).toMatchObject({ status: 200, replayed: false })
      // Without a reply, the event ends the wait for it.
      expect(performance.now() - startedAt).toBeLessThan(timings.response / 2)
      const [stored] = await service.database.query(
        `select key.status, key.merchant_id, key.correlation_id, key.xmin = attempt.xmin as together
       from checkout.payment_attempts attempt join checkout.idempotency_keys key on key.id = attempt.idempotency_id
       where attempt.payable_id = $1`,
        [payable.id],
      )
      const { merchant_id, correlation_id } = payable
      expect(stored).toEqual({ status: 200, merchant_id, correlation_id, together: true })
    },
  )

  test('replays a decline without a second attempt, and attempts again with a new key', async () => {
    transactions = fakeTransactions(service.bus, ({ attempt }) =>
      attempt === 1 ? { status: 'declined', decline_reason: 'insufficient_funds' } : { status: 'approved' },
    )
    const session = await open()
    const declined = { status: 402, body: { error: 'insufficient_funds', declined: true } }
    expect(await pay(session, 'one')).toEqual({ ...declined, replayed: false })
    expect(await pay(session, 'one')).toEqual({ ...declined, replayed: true })
    expect(await attempts(session)).toHaveLength(1)
    expect(await pay(session, 'two')).toMatchObject({ status: 200, replayed: false })
  })

  test('attempts a payment that failed technically again with the same key', async () => {
    transactions = fakeTransactions(service.bus, ({ attempt }) => ({
      status: attempt === 1 ? 'failed' : 'approved',
    }))
    const session = await open()
    expect((await pay(session, 'k')).status).toBe(502)
    expect(await pay(session, 'k')).toMatchObject({ status: 200, replayed: false })
    expect((await attempts(session)).map(row => row.status)).toEqual(['failed', 'approved'])
  })

  test('answers a repeated payment from its first attempt while its outcome is unknown, and finally approves it', async () => {
    transactions = fakeTransactions(service.bus, () => 'pending')
    const session = await open()
    for (let i = 0; i < 2; i++)
      expect(await pay(session, 'k')).toMatchObject({ status: 202, body: { status: 'pending' } })
    await approve(session)
    expect(await pay(session, 'k')).toMatchObject({ status: 200, body: { status: 'approved' } })
    expect(await attempts(session)).toHaveLength(1)
    expect(transactions.commands).toHaveLength(1)
  })

  test('answers a repeated payment from its attempt if the process died before it answered', async () => {
    transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
    const session = await open()
    const first = await pay(session, 'k')
    await forgetAnswers()
    expect(await pay(session, 'k')).toEqual(first)
    expect(await attempts(session)).toHaveLength(1)
    expect(transactions.commands).toHaveLength(1)
  })

  test('rejects another card with a used key with 422 and charges nothing', async () => {
    transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
    const session = await open()
    await pay(session, 'k')
    expect((await pay(session, 'k', 'other')).status).toBe(422)
    expect(transactions.commands).toHaveLength(1)
  })

  test('accepts a readable card with the key of an unreadable one', async () => {
    transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
    const session = await open()
    expect((await pay(session, 'k', 'unreadable')).status).toBe(400)
    expect((await pay(session, 'k')).status).toBe(200)
  })
})
