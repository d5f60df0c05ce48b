import { type Message, newId } from '@cobro/contracts'
import { inboxOf, openDatabase } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { timings } from '@cobro/runtime'
import { waitFor, withUnknownFields } from '@cobro/testing'
import { connect, type GetMessage } from 'amqplib'
import { attemptOutcomes } from '../src/payment-attempts/attempt-outcomes.ts'
import { entities } from '../src/start-checkout.ts'
import { defaultLimits } from '../src/velocity-rules/velocity-settings.ts'
import { checkoutUnderTest, fakeTransactions, outcomeMessage } from './checkout-under-test.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>
let service: Service
let transactions: ReturnType<typeof fakeTransactions> | undefined
beforeAll(async () => {
  service = await checkoutUnderTest()
  // Until the service is connected to the broker, a payment is a 503 and sends nothing.
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
  await waitFor(async () => (await pay(await open())).status === 200)
  await transactions.stop()
})
afterEach(async () => {
  await transactions?.stop()
  transactions = undefined
})
afterAll(() => service.stop())

const payer = { kind: 'payer' } as const
const post = async (to: Service, path: string, body: unknown, caller: Parameters<Service['headers']>[0] = payer) => {
  const headers = { ...(await to.headers(caller)), 'content-type': 'application/json' }
  const response = await fetch(`${to.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as any }
}
const open = async (change: object = {}, to = service) =>
  (
    await post(
      to,
      '/checkout/v1/sessions',
      { amount_total: 25_000, return_url: 'https://shop.mx/back', ...change },
      keyCaller(),
    )
  ).body
const pay = (session: { id: string }, change: object = {}, to = service) =>
  post(to, `/hosted/v1/checkout/${session.id}/payments`, { method: 'card', card_jwe: 'jwe', ...change })
const show = async (session: { id: string }, to = service) => {
  const response = await fetch(`${to.url}/hosted/v1/checkout/${session.id}`, { headers: await to.headers(payer) })
  return ((await response.json()) as any).data
}
const attempts = (session: { id: string }) =>
  service.database.query(
    'select number, status, decline_reason from checkout.payment_attempts where payable_id = $1 order by number',
    [session.id],
  )
const expire = (session: { id: string }) =>
  service.database.query('update checkout.checkout_sessions set expires_at = now() where id = $1', [session.id])

/** Waits for the next dead letter of the service, and removes it. */
async function nextDeadLetter(): Promise<GetMessage> {
  const model = await connect(service.bus.url)
  const channel = await model.createChannel()
  const found = () => channel.get(service.deadLetterQueue, { noAck: true })
  const deadLetter = await waitFor(found, { intervalMs: 250 })
  await model.close()
  return deadLetter
}

for (const via of ['reply', 'event', 'both'] as const) {
  test(`completes the session once after an approval by ${via}`, async () => {
    transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }), via)
    const session = await open({
      external_id: 'A-1',
      metadata: { plan: 'gold' },
      customer: { email: 'ana@example.com' },
    })
    expect(await pay(session, { amount_cents: 25_000 })).toEqual({
      status: 200,
      body: {
        status: 'approved',
        redirect_url: expect.stringContaining(`session_id=${session.id}&status=completed`),
      },
    })
    expect(transactions.commands[0]?.data).toMatchObject({
      attempt: 1,
      amount_cents: 25_000,
      order_id: 'A-1',
      metadata: { plan: 'gold' },
      payer_email: 'ana@example.com',
      card: { brand: 'visa', last4: '4242' },
      correlation_id: session.correlation_id,
    })
    await waitFor(() => service.tap.names(session.correlation_id).includes('checkout_session.completed'))
    expect(await show(session)).toMatchObject({
      status: 'completed',
      transaction_status: 'Approved',
      in_progress: false,
    })
    expect(
      service.tap.names(session.correlation_id).filter(name => name === 'checkout_session.completed'),
    ).toHaveLength(1)
    expect(service.tap.names(session.correlation_id)).toContain('payment.attempted')
  })
}

test('answers a decline with 402 and its reason, hides lost, stolen and fraud, and leaves the session payable', async () => {
  const reasons = ['insufficient_funds', 'stolen_card', 'suspected_fraud']
  transactions = fakeTransactions(service.bus, ({ attempt }) =>
    attempt > 3 ? { status: 'approved' } : { status: 'declined', decline_reason: reasons[attempt - 1] },
  )
  const session = await open()
  expect(await pay(session)).toEqual({ status: 402, body: { error: 'insufficient_funds', declined: true } })
  expect(await pay(session)).toEqual({ status: 402, body: { error: 'card_declined', declined: true } })
  expect(await pay(session)).toEqual({ status: 402, body: { error: 'card_declined', declined: true } })
  expect(await show(session)).toMatchObject({ status: 'pending', transaction_status: 'Declined', attempts_left: 7 })
  expect((await pay(session)).status).toBe(200)
  expect((await attempts(session)).map(row => row.decline_reason)).toEqual([...reasons, null])
})

test('answers a technical failure with 502, and the payer may try again', async () => {
  transactions = fakeTransactions(service.bus, ({ attempt }) => ({ status: attempt === 1 ? 'failed' : 'approved' }))
  const session = await open()
  expect(await pay(session)).toEqual({ status: 502, body: { error: 'processing_error' } })
  expect((await pay(session)).status).toBe(200)
})

test('cancels the session at the tenth decline', async () => {
  transactions = fakeTransactions(service.bus, () => ({ status: 'declined', decline_reason: 'do_not_honor' }))
  const session = await open()
  for (let number = 1; number <= 10; number++) expect((await pay(session)).status).toBe(402)
  expect(await show(session)).toMatchObject({ status: 'cancelled', attempts_left: 0 })
  expect((await pay(session)).status).toBe(409)
})

test('charges one of twenty concurrent payments of a session', async () => {
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
  const session = await open()
  const answers = await Promise.all(Array.from({ length: 20 }, () => pay(session)))
  expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
  expect(answers.filter(answer => answer.status === 409)).toHaveLength(19)
  expect(transactions.commands).toHaveLength(1)
})

test('rejects a payment of a completed session with 409 and emits payment.duplicate once a minute', async () => {
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
  const session = await open()
  await pay(session)
  for (let i = 0; i < 3; i++) expect((await pay(session)).body).toEqual({ error: 'conflict: the session is completed' })
  await waitFor(() => service.tap.names(session.correlation_id).includes('payment.duplicate'))
  expect(service.tap.names(session.correlation_id).filter(name => name === 'payment.duplicate')).toHaveLength(1)
})

test('answers 202 while the outcome is unknown, rejects changes with 409 and does not expire the session', async () => {
  transactions = fakeTransactions(service.bus, () => 'pending')
  const session = await open()
  expect(await pay(session)).toEqual({ status: 202, body: { status: 'pending' } })
  expect(await show(session)).toMatchObject({ status: 'pending', in_progress: true })
  expect((await pay(session)).status).toBe(409)
  expect((await post(service, `/hosted/v1/checkout/${session.id}/cancel`, {})).body.error).toBe(
    'conflict: a payment is running',
  )
  await expire(session)
  // Once another session is expired, the sweeper has also seen this one.
  const other = await open()
  await expire(other)
  await waitFor(async () => (await show(other)).status === 'expired')
  expect((await show(session)).status).toBe('pending')
  const { payment_intent_id } = (
    await service.database.query('select payment_intent_id from checkout.checkout_sessions where id = $1', [session.id])
  )[0]
  const attempt = { ...session, payment_intent_id, attempt: 1, payable_id: session.id }
  await transactions.publish(outcomeMessage(attempt, { status: 'approved' }))
  await waitFor(async () => (await show(session)).status === 'completed')
})

test('sends payment.resolve for an attempt without a reply after its deadline, and repeats it later', async () => {
  transactions = fakeTransactions(service.bus, () => undefined)
  const session = await open()
  const answer = pay(session)
  await waitFor(async () => (await attempts(session)).length === 1 && transactions?.commands.length === 1)
  const [{ due_at }] = await service.database.query(
    'update checkout.payment_attempts set resolve_at = now() where payable_id = $1 returning resolve_at as due_at',
    [session.id],
  )
  const resolve = await waitFor(() => transactions?.commands.find(message => message.name === 'payment.resolve'))
  expect(resolve.data).toMatchObject({
    payable_id: session.id,
    attempt: 1,
    amount_cents: 25_000,
    card: { last4: '4242' },
  })
  expect(resolve.data).not.toHaveProperty('token')
  const [again] = await service.database.query(
    `select resolve_count > 0 as counted, resolve_at >= $2::timestamptz + interval '15 seconds' as later
     from checkout.payment_attempts where payable_id = $1`,
    [session.id, due_at],
  )
  expect(again).toEqual({ counted: true, later: true })
  const failed = { status: 'failed', decline_reason: 'processing_error' } as const
  await transactions.publish(outcomeMessage(resolve.data as never, failed))
  expect((await answer).status).toBe(502)
  expect((await show(session)).transaction_status).toBe('Failed')
})

test.each(['reply', 'event'] as const)(
  'completes the session after an approval by %s from a newer release with unknown fields',
  async via => {
    transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }), via, withUnknownFields)
    const session = await open()
    expect((await pay(session)).status).toBe(200)
    expect((await show(session)).status).toBe('completed')
  },
)

test.each([
  ['declined', 'do_not_honor', 402],
  ['failed', 'processing_error', 502],
] as const)('answers a payment that only an event reports as %s', async (status, decline_reason, answered) => {
  transactions = fakeTransactions(service.bus, () => ({ status, decline_reason }), 'event')
  const startedAt = performance.now()
  expect((await pay(await open())).status).toBe(answered)
  expect(performance.now() - startedAt).toBeLessThan(timings.response / 2)
})

test('answers a payment whose outcome another replica applied, long before its reply is late', async () => {
  transactions = fakeTransactions(service.bus, () => undefined)
  const session = await open()
  const startedAt = performance.now()
  const answer = pay(session)
  const { data } = await waitFor(() => transactions?.commands.find(({ data }) => data.payable_id === session.id))
  const replica = openDatabase({ url: service.database.url('checkout'), schema: 'checkout', entities })
  try {
    const outcomes = attemptOutcomes(inboxOf(replica), replica.schema, defaultLimits)
    const { id, data: outcome } = outcomeMessage(data as never, { status: 'approved' })
    await outcomes.apply(id, outcome as never)
  } finally {
    await replica.close()
  }
  expect((await answer).body).toMatchObject({ status: 'approved', redirect_url: expect.any(String) })
  expect(performance.now() - startedAt).toBeLessThan(timings.response / 2)
})

test('keeps the first of two different final outcomes of an attempt and dead-letters the second', async () => {
  transactions = fakeTransactions(service.bus, () => ({ status: 'declined', decline_reason: 'do_not_honor' }))
  const session = await open()
  await pay(session)
  const settled = outcomeMessage(transactions.commands[0]?.data as never, { status: 'approved' })
  await transactions.publish(settled)
  const deadLetter = await nextDeadLetter()
  expect(deadLetter.properties).toMatchObject({ messageId: settled.id, headers: { 'x-attempt': 5 } })
  expect(await show(session)).toMatchObject({ status: 'pending', transaction_status: 'Declined' })
})

test('answers 202 for a reply that cannot be applied, and the attempt waits for its event', async () => {
  const unknown = (message: Message): Message => ({ ...message, data: { ...message.data, attempt: 99 } })
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }), 'reply', unknown)
  const session = await open()
  expect(await pay(session)).toEqual({ status: 202, body: { status: 'pending' } })
  expect(await attempts(session)).toMatchObject([{ status: 'running' }])
})

test('answers 202 for a reply about the payment of another session, and completes neither', async () => {
  transactions = fakeTransactions(service.bus, () => 'pending')
  const other = await open()
  await pay(other)
  const { payment_intent_id, attempt } = transactions.commands[0]!.data
  await transactions.stop()
  const misdirected = (message: Message): Message => ({
    ...message,
    data: { ...message.data, payment_intent_id, attempt },
  })
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }), 'reply', misdirected)
  const session = await open()
  expect(await pay(session)).toEqual({ status: 202, body: { status: 'pending' } })
  for (const one of [session, other]) {
    expect(await attempts(one)).toMatchObject([{ status: 'running' }])
    expect(await show(one)).toMatchObject({ status: 'pending', in_progress: true })
  }
})

test('dead-letters the outcome of an attempt that does not exist', async () => {
  transactions = fakeTransactions(service.bus, () => 'pending')
  await pay(await open())
  const event = outcomeMessage({ ...transactions.commands[0]?.data, attempt: 99 } as never, { status: 'approved' })
  await transactions.publish(event)
  const deadLetter = await nextDeadLetter()
  expect(deadLetter.properties.messageId).toBe(event.id)
  expect(String(deadLetter.properties.headers?.['x-reason'])).toContain('does not exist')
})

test('dead-letters the approval of a session that was closed meanwhile, and leaves its attempt running', async () => {
  const session = await open()
  const cancelled = "update checkout.checkout_sessions set status = 'cancelled' where id = $1"
  transactions = fakeTransactions(service.bus, () => 'pending')
  expect((await pay(session)).status).toBe(202)
  await service.database.query(cancelled, [session.id])
  const event = outcomeMessage(transactions.commands[0]?.data as never, { status: 'approved' })
  await transactions.publish(event)
  const deadLetter = await nextDeadLetter()
  expect(deadLetter.properties.messageId).toBe(event.id)
  expect(String(deadLetter.properties.headers?.['x-reason'])).toContain('is cancelled and cannot be completed')
  expect(await attempts(session)).toMatchObject([{ status: 'running' }])
})

test('rejects an unreadable card with 400 and counts no attempt', async () => {
  const session = await open()
  expect((await pay(session, { card_jwe: 'unreadable' })).body).toEqual({
    error: 'invalid_request: card_jwe: cannot be read, or was not encrypted for this payment a moment ago',
  })
  expect(await show(session)).toMatchObject({ attempts_left: 10, in_progress: false })
  expect(await attempts(session)).toEqual([])
})

test('fails the attempt and emits payment.failed if the acquirer cannot tokenize', async () => {
  const session = await open()
  expect((await pay(session, { card_jwe: 'broken' })).status).toBe(502)
  expect(await attempts(session)).toMatchObject([{ status: 'failed' }])
  await waitFor(() => service.tap.names(session.correlation_id).includes('payment.failed'))
})

test.each([
  ['a card in clear text', { card: { number: '4111' } }, 400, 'card: unknown field'],
  ['a card number in clear text', { number: '4242424242424242' }, 400, 'card numbers are not accepted here'],
  ['no JWE', { card_jwe: undefined }, 400, 'card_jwe: required'],
  ['an oversized JWE', { card_jwe: 'x'.repeat(9_000) }, 400, 'card_jwe: too big'],
  ['more than 16 KiB', { card_jwe: 'x'.repeat(16_384) }, 413, 'payload_too_large: expected at most 16 KiB'],
  ['an unknown method', { method: 'crypto' }, 400, 'method'],
  ['an amount that differs from the session', { amount_cents: 24_999 }, 409, 'amount_cents: the amount has changed'],
])('rejects a payment with %s', async (_what, change, status, words) => {
  const session = await open()
  const answer = await pay(session, change)
  expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(words)])
  expect(await attempts(session)).toEqual([])
})

test('rejects payments of unknown sessions with 404 and of expired ones with 409', async () => {
  expect((await pay({ id: newId('cs') })).status).toBe(404)
  const session = await open()
  await expire(session)
  expect((await pay(session)).status).toBe(409)
})

test('answers 503 while the broker is unavailable, and counts no attempt against the payer', async () => {
  const alone = await checkoutUnderTest({ amqpUrl: 'amqp://127.0.0.1:9' })
  try {
    const session = await open({}, alone)
    // One decline before the limit, so that an outage which counted as a decline would cancel the session.
    const nearLimit = 'update checkout.checkout_sessions set decline_count = 9 where id = $1'
    await alone.database.query(nearLimit, [session.id])
    for (let i = 0; i < 2; i++)
      expect(await pay(session, {}, alone)).toEqual({ status: 503, body: { error: 'unavailable' } })
    expect(await show(session, alone)).toMatchObject({
      status: 'pending',
      in_progress: false,
      attempts_left: 1,
      transaction_status: 'Failed',
    })
  } finally {
    await alone.stop()
  }
})

test('serves the page with its security policy, also for an unknown session, and its assets with caching headers', async () => {
  const session = await open({ ui_config: { logo_url: 'https://cdn.shop.mx/l.png' } })
  const get = async (path: string) => fetch(`${service.url}${path}`, { headers: await service.headers(payer) })
  const page = await get(`/checkout/${session.id}`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' https://cdn.shop.mx;")
  const html = await page.text()
  const script = /src="(\/hosted\/assets\/[^"]+\.js)"/.exec(html)?.[1]
  expect((await get(script!)).headers.get('cache-control')).toContain('immutable')
  expect((await get('/checkout/nonsense')).status).toBe(404)
  expect((await get('/hosted/assets/..%2f..%2fpackage.json')).status).toBe(404)
  expect((await get('/hosted/assets/none.js')).status).toBe(404)
})

test('returns only what the page needs, and emits checkout_session.viewed once', async () => {
  const session = await open({
    metadata: { secret_plan: 1 },
    line_items: [{ name: 'x', quantity: 1, unit_price: 20_000 }],
  })
  const shown = await show(session)
  expect(shown).toMatchObject({
    adjustment_cents: 5_000,
    merchant_name: 'Café Azul',
    card_encryption_key: { kid: 'k1', alg: 'ECDH-ES' },
  })
  expect(JSON.stringify(shown)).not.toMatch(/secret_plan|merchant_id|correlation_id/)
  await waitFor(() => service.tap.names(session.correlation_id).includes('checkout_session.viewed'))
  await show(session)
  expect(service.tap.names(session.correlation_id).filter(name => name === 'checkout_session.viewed')).toHaveLength(1)
})
