import type { Caller } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { checkoutUnderTest, settledMessage, standInTransactions } from './checkout-service.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>
let service: Service
let transactions: ReturnType<typeof standInTransactions> | undefined
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

describe('a session opened under a key', () => {
  test('fifty times at once is one session, told of once', async () => {
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

  test('with another body is refused', async () => {
    const key = newKey()
    await post(sessions, key, order)
    const answer = await post(sessions, key, { ...order, amount_total: 25_001 })
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringMatching(/^idempotency_mismatch: /)])
  })

  test('that was refused may be opened after all, under the same key', async () => {
    const key = newKey()
    expect((await post(sessions, key, { ...order, currency: 'XXX' })).status).toBe(400)
    expect(await post(sessions, key, order)).toMatchObject({ status: 201, replayed: false })
  })

  test("is the merchant's own: a stranger's equal key makes a session of its own", async () => {
    const key = newKey()
    const mine = await post(sessions, key, order)
    const theirs = await post(sessions, key, order, keyCaller())
    expect([theirs.status, theirs.replayed]).toEqual([201, false])
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  test('is cancelled once, and the repetition hears the same instead of a conflict', async () => {
    const session = await open()
    const cancel = () => post(`${sessions}/${session.id}/cancel`, 'cancel', {})
    const first = await cancel()
    expect(first).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(await cancel()).toEqual({ ...first, replayed: true })
  })
})

describe('a payment under a key', () => {
  const pay = (session: { id: string }, key: string, jwe = 'jwe') =>
    post(`/hosted/v1/checkout/${session.id}/payments`, key, { method: 'card', card_jwe: jwe }, payer)
  const attempts = (session: { id: string }) =>
    service.database.query(
      'select number, status, payment_intent_id from checkout.payment_attempts where payable_id = $1 order by number',
      [session.id],
    )
  /** What a process leaves that dies before it has noted its answer. */
  const forgetAnswers = () =>
    service.database.query(
      `update checkout.idempotency_keys set status = null, answer = null, lease_until = now() where lease_token is not null`,
    )
  const settle = async (session: { id: string; merchant_id: string; correlation_id: string }) => {
    const [attempt] = await attempts(session)
    const about = { payment_intent_id: attempt.payment_intent_id, attempt: attempt.number, payable_id: session.id }
    const { id, name, ...rest } = settledMessage({ ...session, ...about }, { status: 'approved' })
    const body = Buffer.from(JSON.stringify({ id, name, ...rest }))
    await transactions?.publisher.publish('events', name, { id, body })
    await waitFor(async () => (await attempts(session))[0].status === 'approved')
  }

  test('fifty times at once is one charge, and its answer is replayed', async () => {
    transactions = standInTransactions(service.bus, () => ({ status: 'approved' }))
    await waitFor(async () => (await pay(await open(), 'first')).status === 200)
    const session = await open()
    const before = transactions.heard.length
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay(session, 'pay')))
    expect(transactions.heard.length - before).toBe(1)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const again = await pay(session, 'pay')
    expect(again).toMatchObject({ status: 200, replayed: true, body: { status: 'approved' } })
    expect(again.body).toEqual(answers.find(({ status }) => status === 200)?.body)
  })

  test('that was declined is declined again without a second attempt; a new key is a new attempt', async () => {
    transactions = standInTransactions(service.bus, ({ attempt }) =>
      attempt === 1 ? { status: 'declined', decline_reason: 'insufficient_funds' } : { status: 'approved' },
    )
    const session = await open()
    const declined = { status: 402, body: { error: 'insufficient_funds', declined: true } }
    expect(await pay(session, 'one')).toEqual({ ...declined, replayed: false })
    expect(await pay(session, 'one')).toEqual({ ...declined, replayed: true })
    expect(await attempts(session)).toHaveLength(1)
    expect(await pay(session, 'two')).toMatchObject({ status: 200, replayed: false })
  })

  test('that failed for a technical reason is tried again under the same key', async () => {
    transactions = standInTransactions(service.bus, ({ attempt }) => ({
      status: attempt === 1 ? 'failed' : 'approved',
    }))
    const session = await open()
    expect((await pay(session, 'k')).status).toBe(502)
    expect(await pay(session, 'k')).toMatchObject({ status: 200, replayed: false })
    expect((await attempts(session)).map(row => row.status)).toEqual(['failed', 'approved'])
  })

  test('whose outcome is unknown yet is asked after, not charged again, and told in the end', async () => {
    transactions = standInTransactions(service.bus, () => 'pending')
    const session = await open()
    for (let i = 0; i < 2; i++)
      expect(await pay(session, 'k')).toMatchObject({ status: 202, body: { status: 'pending' } })
    await settle(session)
    expect(await pay(session, 'k')).toMatchObject({ status: 200, body: { status: 'approved' } })
    expect(await attempts(session)).toHaveLength(1)
    expect(transactions.heard).toHaveLength(1)
  })

  test('whose process died before it answered is answered by what became of it', async () => {
    transactions = standInTransactions(service.bus, () => ({ status: 'approved' }))
    const session = await open()
    const first = await pay(session, 'k')
    await forgetAnswers()
    expect(await pay(session, 'k')).toEqual(first)
    expect(await attempts(session)).toHaveLength(1)
    expect(transactions.heard).toHaveLength(1)
  })

  test('with another card under the same key is refused, and charges nothing', async () => {
    transactions = standInTransactions(service.bus, () => ({ status: 'approved' }))
    const session = await open()
    await pay(session, 'k')
    expect((await pay(session, 'k', 'other')).status).toBe(422)
    expect(transactions.heard).toHaveLength(1)
  })

  test('whose card cannot be read may be sent again with one that can', async () => {
    transactions = standInTransactions(service.bus, () => ({ status: 'approved' }))
    const session = await open()
    expect((await pay(session, 'k', 'unreadable')).status).toBe(400)
    expect((await pay(session, 'k')).status).toBe(200)
  })
})
