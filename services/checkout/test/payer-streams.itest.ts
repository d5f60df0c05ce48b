import { type EventData, newId } from '@cobro/contracts'
import { eventMessage } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { checkoutUnderTest, fakeTransactions } from './checkout-under-test.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>
let service: Service
let transactions: ReturnType<typeof fakeTransactions>
let decide: Parameters<typeof fakeTransactions>[1]
const streams: AbortController[] = []
beforeAll(async () => {
  service = await checkoutUnderTest()
  decide = () => ({ status: 'approved' })
  transactions = fakeTransactions(service.bus, command => decide(command))
  await waitFor(async () => (await pay(await open())).status === 200)
})
beforeEach(() => {
  decide = () => ({ status: 'approved' })
})
afterEach(() => {
  for (const stream of streams.splice(0)) stream.abort()
})
afterAll(async () => {
  await transactions.stop()
  await service.stop()
})

const payer = { kind: 'payer' } as const
const merchant = keyCaller()
async function call(method: string, path: string, body?: object, caller: Parameters<Service['headers']>[0] = payer) {
  const headers = { ...(await service.headers(caller)), ...(body ? { 'content-type': 'application/json' } : {}) }
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
  const response = await fetch(`${service.url}${path}`, init)
  return { status: response.status, body: (await response.json()) as any }
}
const order = { amount_total: 25_000, return_url: 'https://shop.mx/back' }
const open = async (change: object = {}) =>
  (await call('POST', '/checkout/v1/sessions', { ...order, ...change }, merchant)).body
const pay = ({ id }: { id: string }) =>
  call('POST', `/hosted/v1/checkout/${id}/payments`, { method: 'card', card_jwe: 'jwe' })

/** Follows a session or link. Collects the views sent and whether the stream has ended. */
async function follow(id: string, to = service) {
  const controller = new AbortController()
  streams.push(controller)
  const kind = id.startsWith('cs_') ? 'checkout' : 'links'
  const init = { headers: await to.headers(payer), signal: controller.signal }
  const response = await fetch(`${to.url}/hosted/v1/${kind}/${id}/stream`, init)
  const views: any[] = []
  const stream = { response, views, ended: false, text: '' }
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      stream.text += chunk
      const whole = stream.text.split('\n\n').slice(0, -1)
      const data = whole.map(one => /^data: (.*)$/m.exec(one)?.[1]).filter(one => one !== undefined)
      views.push(...data.slice(views.length).map(one => JSON.parse(one)))
    }
    stream.ended = true
  }
  if (response.ok) void read().catch(() => undefined)
  return stream
}
const update = ({ id }: { id: string }) =>
  id.startsWith('cs_')
    ? call('PUT', `/api/checkout-sessions/${id}`, { external_id: 'A-1' }, merchant)
    : call('PUT', `/api/payment-links/${id}`, { reference: 'A-1' }, merchant)
const received = (stream: Awaited<ReturnType<typeof follow>>, count: number) =>
  waitFor(() => stream.views.length >= count && stream.views)

/**
 * Follows and changes new sessions or links until a stream sends its change within a second.
 * A machine that stalls delays some changes; polling too rarely delays all of them.
 */
async function followWithinASecond(
  create: () => Promise<{ id: string }>,
  change: (payable: { id: string }) => Promise<unknown>,
  hasArrived = ({ views }: Awaited<ReturnType<typeof follow>>) => views.length > 2,
) {
  return waitFor(async () => {
    const payable = await create()
    const stream = await follow(payable.id)
    await received(stream, 1)
    // Sent by a poll, so that the change that counts comes right after it and waits for a whole interval.
    await update(payable)
    await received(stream, 2)
    await change(payable)
    const changedAt = performance.now()
    await waitFor(() => hasArrived(stream))
    expect(performance.now() - changedAt).toBeLessThan(1_000)
    return stream
  })
}

test('sends the current view at once, as the read returns it', async () => {
  const session = await open()
  const stream = await follow(session.id)
  expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(stream.response.headers.get('cache-control')).toContain('no-store')
  const [first] = await received(stream, 1)
  const { now: _now, ...shown } = (await call('GET', `/hosted/v1/checkout/${session.id}`)).body.data
  expect(first).toMatchObject(shown)
  expect(stream.text).toMatch(/^retry: \d+\nevent: payable\ndata: /)
})

test('sends the begin of a payment in another tab within a second', async () => {
  const beginAttempt = ({ id }: { id: string }) =>
    service.database.query(
      `with counted as (update checkout.checkout_sessions set attempt_count = 1 where id = $1)
       insert into checkout.payment_attempts (payment_intent_id, number, payable_id, merchant_id, correlation_id, status,
         payment_method, amount_cents, currency, deadline, created_at)
       select payment_intent_id, 1, id, merchant_id, correlation_id, 'running', 'card', amount_total, currency, now(), now()
       from checkout.checkout_sessions where id = $1`,
      [id],
    )
  const stream = await followWithinASecond(open, beginAttempt)
  expect(stream.views[2]).toMatchObject({ status: 'pending', in_progress: true })
})

test('sends the end of a payment in another tab within a second, and then ends the stream', async () => {
  const stream = await followWithinASecond(open, pay, ({ ended }) => ended)
  expect(stream.views.at(-1)).toMatchObject({
    status: 'completed',
    in_progress: false,
    redirect_url: expect.stringContaining('status=completed'),
  })
})

test('sends a cancellation by the merchant within a second', async () => {
  const cancel = ({ id }: { id: string }) => call('POST', `/checkout/v1/sessions/${id}/cancel`, {}, merchant)
  const stream = await followWithinASecond(open, cancel)
  expect(stream.views[2]).toMatchObject({ status: 'cancelled' })
  await waitFor(() => stream.ended)
})

test('sends the expiry of a session and ends the stream', async () => {
  const session = await open({ expires_in: 1 })
  const stream = await follow(session.id)
  await waitFor(() => stream.views.at(-1)?.status === 'expired' && stream.ended)
})

test('sends a decline with the number of attempts left', async () => {
  decide = () => ({ status: 'declined', decline_reason: 'insufficient_funds' })
  const session = await open()
  const stream = await follow(session.id)
  await received(stream, 1)
  expect((await pay(session)).status).toBe(402)
  await waitFor(() => stream.views.at(-1)?.attempts_left === 9)
  expect(stream.views.at(-1)).toMatchObject({ status: 'pending', transaction_status: 'Declined', in_progress: false })
  expect(stream.ended).toBe(false)
})

test('sends that the merchant is disabled and enabled again', async () => {
  const mine = newId('mrc')
  const caller = { ...keyCaller(), merchant_id: mine, merchant_name: 'Café Azul' } as ReturnType<typeof keyCaller>
  const session = (await call('POST', '/checkout/v1/sessions', order, caller)).body
  const stream = await follow(session.id)
  await received(stream, 1)
  await publishMerchant({ id: mine, name: 'Café Azul', status: 'disabled', version: 2 })
  await waitFor(() => stream.views.at(-1)?.merchant_status === 'disabled')
  await publishMerchant({ id: mine, name: 'Café Azul', status: 'active', version: 3 })
  await waitFor(() => stream.views.at(-1)?.merchant_status === 'active')
})

async function publishMerchant(merchant: EventData<'merchant.updated'>): Promise<void> {
  await transactions.publish(eventMessage('merchant.updated', merchant, { merchant_id: merchant.id }))
}

test('sends the changes of a link within a second', async () => {
  const create = async () =>
    (await call('POST', '/checkout/v1/links', { amount: '250.00', concepto: 'Curso' }, merchant)).body.data
  const change = ({ id }: { id: string }) => call('PUT', `/api/payment-links/${id}`, { amount_cents: 30_000 }, merchant)
  const stream = await followWithinASecond(create, change)
  expect(stream.views[2]).toMatchObject({ kind: 'link', amount_total: 30_000 })
})

test('sends the view of a completed session once, and answers 404 for an unknown session', async () => {
  const session = await open()
  await pay(session)
  const stream = await follow(session.id)
  await waitFor(() => stream.ended)
  expect(stream.views).toMatchObject([{ status: 'completed' }])
  expect((await follow(newId('cs'))).response.status).toBe(404)
})

test('emits no viewed event for a stream', async () => {
  const session = await open()
  await received(await follow(session.id), 1)
  await call('POST', `/checkout/v1/sessions/${session.id}/cancel`, {}, merchant)
  await waitFor(() => service.tap.names(session.correlation_id).includes('checkout_session.cancelled'))
  expect(service.tap.names(session.correlation_id)).not.toContain('checkout_session.viewed')
})

test('limits a session to 50 concurrent streams, and frees the places of closed ones', async () => {
  const session = await open()
  const crowd = await Promise.all(Array.from({ length: 80 }, () => follow(session.id)))
  const statuses = crowd.map(({ response }) => response.status)
  expect(statuses.filter(status => status === 200)).toHaveLength(50)
  expect(statuses.filter(status => status === 429)).toHaveLength(30)
  for (const stream of streams.splice(0)) stream.abort()
  await waitFor(async () => (await follow(session.id)).response.status === 200)
})

test('answers HEAD with the content type of a stream', async () => {
  const session = await open()
  const url = `${service.url}/hosted/v1/checkout/${session.id}/stream`
  const response = await fetch(url, { method: 'HEAD', headers: await service.headers(payer) })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
  ])
})

test('emits no viewed event for a cancellation by the payer', async () => {
  const session = await open()
  expect((await call('POST', `/hosted/v1/checkout/${session.id}/cancel`, {})).status).toBe(200)
  await waitFor(() => service.tap.names(session.correlation_id).includes('checkout_session.cancelled'))
  expect(
    await service.database.query('select viewed_at from checkout.checkout_sessions where id = $1', [session.id]),
  ).toEqual([{ viewed_at: null }])
})

test('keeps a stream alive that is idle for 15 seconds, and ends one that is open for ten minutes', async () => {
  const session = await open()
  const stream = await follow(session.id)
  await received(stream, 1)
  let aheadMs = 15_001
  const { now } = Date
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
  try {
    await waitFor(() => stream.text.endsWith('\n\n:\n\n'))
    expect(stream.ended).toBe(false)
    aheadMs = 600_001
    await waitFor(() => stream.ended)
  } finally {
    clock.mockRestore()
  }
  expect(stream.views).toHaveLength(1)
})

test('ends its streams first when the service stops', async () => {
  const other = await checkoutUnderTest()
  const response = await fetch(`${other.url}/checkout/v1/sessions`, {
    method: 'POST',
    headers: { ...(await other.headers(merchant)), 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
  const stream = await follow(((await response.json()) as { id: string }).id, other)
  await received(stream, 1)
  const stoppedAt = performance.now()
  await other.stop()
  // A stop that waits for its streams takes ten minutes.
  expect(performance.now() - stoppedAt).toBeLessThan(60_000)
  await waitFor(() => stream.ended)
})
