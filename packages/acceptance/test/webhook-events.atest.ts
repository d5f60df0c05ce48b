import { webhookCatalog } from '@cobro/contracts'
import { hostedApiUrl, payByCard, payInCash } from '@cobro/local-stack'
import { verifyWebhook } from '@cobro/sdk/webhooks'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { isSigned, type ReceivedWebhook, startReceiver } from '../src/webhook-receiver.ts'

const catalog = Object.keys(webhookCatalog).sort()
const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  broken: '4000000000000119',
  disputed: '4000000000000259',
}

/** A merchant's endpoint and what it received, with each signature's check on arrival. */
interface Endpoint {
  id: string
  secret: string
  receiver: Awaited<ReturnType<typeof startReceiver>>
}

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let everything: Endpoint
let byName: Endpoint
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
  everything = await endpointFor(['*'])
  byName = await endpointFor(catalog)
})
afterAll(async () => {
  await everything?.receiver.stop()
  await byName?.receiver.stop()
  await stack?.stop()
})

async function endpointFor(events: string[]): Promise<Endpoint> {
  const receiver = await startReceiver()
  const { id, secret } = (await clients.merchant.call('POST', '/api/webhooks', { url: receiver.url, events })).body
  return { id, secret, receiver }
}

/** A lifecycle: the ids that its events have in common. */
interface Lifecycle {
  id: string
  correlation_id: string
}

const stated = () => ({ 'x-merchant-id': stack.stack.merchant_id })
const session = async (change: object = {}): Promise<Lifecycle> => {
  const order = { amount_total: 25_000, return_url: 'https://shop.mx', metadata: { plan: 'gold' }, ...change }
  return (await clients.merchant.call('POST', '/checkout/v1/sessions', order)).body
}
const link = async (change: object = {}): Promise<Lifecycle> =>
  (await clients.merchant.call('POST', '/checkout/v1/links', { amount: '250.00', concepto: 'Curso', ...change })).body
    .data
const pay = ({ id }: Lifecycle, card: string) => payByCard(stack.stack.hosted_url, id, card)
const statusOf = async (call: Promise<{ status: number }>) => (await call).status

async function paidTwice(): Promise<Lifecycle> {
  const opened = await session()
  expect(await statusOf(pay(opened, cards.good))).toBe(200)
  const path = `${new URL(hostedApiUrl(stack.stack.hosted_url, opened.id)).pathname}/payments`
  for (let press = 0; press < 3; press++) {
    const again = clients.payer.call('POST', path, { method: 'card', card_jwe: 'never decrypted' })
    expect(await statusOf(again)).toBe(409)
  }
  return opened
}

async function paidInCash(): Promise<Lifecycle> {
  const opened = await session({ payment_method_types: ['cash'] })
  const { voucher } = (await payInCash(stack.stack.hosted_url, opened.id)).body
  expect(await statusOf(clients.operator.call('POST', `/api/sandbox/vouchers/${voucher?.reference}/pay`))).toBe(200)
  return opened
}

async function refunded(): Promise<Lifecycle> {
  const made = await link()
  expect(await statusOf(pay(made, cards.good))).toBe(200)
  const { transaction_id } = (await clients.merchant.call('GET', `/checkout/v1/links/${made.id}`)).body.data
  expect(await statusOf(clients.merchant.call('POST', `/api/transactions/${transaction_id}/refund`))).toBe(202)
  return made
}

async function cancelled(): Promise<Lifecycle> {
  const opened = await session()
  expect(await statusOf(clients.merchant.call('POST', `/checkout/v1/sessions/${opened.id}/cancel`))).toBe(200)
  return opened
}

async function voided(): Promise<Lifecycle> {
  const entry = { rail: 'online_cnp', payment_method: 'cash', amount_cents: 25_000, status: 'pending' }
  const { data } = (await clients.operator.call('POST', '/api/transactions', entry, stated())).body
  const path = `/api/transactions/${data.id}`
  expect(await statusOf(clients.operator.call('PUT', path, { status: 'cancelled' }, stated()))).toBe(200)
  return data
}

async function paidWith(card: string, status: number): Promise<Lifecycle> {
  const opened = await session()
  expect(await statusOf(pay(opened, card))).toBe(status)
  return opened
}

/** An action and the events that it causes, each with the id prefix of its data. */
const lifecycles: [what: string, live: () => Promise<Lifecycle>, expected: Record<string, string>][] = [
  [
    'a session that is paid, and pressed again and again',
    paidTwice,
    {
      'checkout_session.created': 'cs',
      'payment.approved': 'txn',
      'checkout_session.completed': 'cs',
      'payment.duplicate': 'cs',
    },
  ],
  [
    'a card that is declined',
    () => paidWith(cards.declined, 402),
    { 'checkout_session.created': 'cs', 'payment.declined': 'txn' },
  ],
  [
    'a payment that fails',
    () => paidWith(cards.broken, 502),
    { 'checkout_session.created': 'cs', 'payment.failed': 'txn' },
  ],
  [
    'a payment that is disputed',
    () => paidWith(cards.disputed, 200),
    {
      'checkout_session.created': 'cs',
      'payment.approved': 'txn',
      'checkout_session.completed': 'cs',
      'payment.chargeback': 'txn',
    },
  ],
  [
    'a session out of time',
    () => session({ expires_in: 1 }),
    {
      'checkout_session.created': 'cs',
      'payment.expired': 'cs',
      'payment.failed': 'cs',
      'checkout_session.completed': 'cs',
    },
  ],
  [
    'a link out of time',
    () => link({ expires_in: 1 }),
    { 'payment_link.created': 'pl', 'payment.expired': 'pl', 'payment.failed': 'pl' },
  ],
  [
    'a session that is cancelled',
    cancelled,
    { 'checkout_session.created': 'cs', 'payment.cancelled': 'cs', 'checkout_session.completed': 'cs' },
  ],
  ['a payment entered by hand, and voided', voided, { 'payment.pending': 'txn', 'payment.cancelled': 'txn' }],
  [
    'cash',
    paidInCash,
    {
      'checkout_session.created': 'cs',
      'payment.pending': 'txn',
      'payment.approved': 'txn',
      'checkout_session.completed': 'cs',
    },
  ],
  [
    'a link that is paid, and refunded',
    refunded,
    {
      'payment_link.created': 'pl',
      'payment.approved': 'txn',
      'payment_link.paid': 'pl',
      'payment.refunded': 'txn',
    },
  ],
]

const webhooksOf = ({ correlation_id }: Lifecycle, { receiver }: Endpoint) =>
  receiver.received.filter(({ body }) => body.data.correlation_id === correlation_id)
const shown = (webhooks: ReceivedWebhook[]) =>
  webhooks.map(({ body }) => `${body.event} of ${String(body.data.id).split('_')[0]}`).sort()

test.each(lifecycles)('delivers the events of %s once to each endpoint', async (_what, live, expected) => {
  const lifecycle = await live()
  const names = Object.entries(expected).map(([name, prefix]) => `${name} of ${prefix}`)
  for (const endpoint of [everything, byName]) {
    await waitFor(() => webhooksOf(lifecycle, endpoint).length >= names.length)
    expect(shown(webhooksOf(lifecycle, endpoint))).toEqual(names.sort())
  }
  const idsAt = (endpoint: Endpoint) =>
    webhooksOf(lifecycle, endpoint)
      .map(({ body }) => body.id)
      .sort()
  expect(idsAt(byName)).toEqual(idsAt(everything))
})

test('sends a test delivery to the requested endpoint only', async () => {
  const { status, body } = await clients.merchant.call('POST', `/api/webhooks/${byName.id}/test`)
  expect(status).toBe(202)
  const tests = ({ receiver }: Endpoint) => receiver.received.filter(one => one.body.event === 'webhook.test')
  const [delivered] = await waitFor(() => tests(byName).length > 0 && tests(byName))
  expect(delivered).toMatchObject({
    headers: { 'x-service-delivery': body.data.id },
    body: { data: { id: byName.id } },
  })
  expect(delivered?.rawBody).not.toContain(byName.secret.slice(6))
})

/** Waits until no delivery to the endpoints is open, so that everything has arrived. */
async function untilQuiet(): Promise<void> {
  await waitFor(async () => {
    const left = await stack.query(
      `select 1 from checkout.outbox union all select 1 from transactions.outbox
       union all select 1 from webhooks.jobs where webhook_id = any($1)`,
      [[everything.id, byName.id]],
    )
    return left.length === 0
  })
}

test('has delivered all fourteen events, and none twice', async () => {
  await untilQuiet()
  const read = (await clients.merchant.call('GET', '/api/webhooks/events')).body.data
  expect(read.map(({ event }: { event: string }) => event).sort()).toEqual(catalog)
  const got = ({ receiver }: Endpoint) => receiver.received.map(({ body }) => body.event as string)
  expect([...new Set(got(byName))].sort()).toEqual(catalog)
  const fired = lifecycles.flatMap(([, , expected]) => Object.keys(expected)).sort()
  expect(got(everything).sort()).toEqual(fired)
  expect(got(byName).sort()).toEqual([...fired, 'webhook.test'].sort())
  for (const { receiver } of [everything, byName]) {
    for (const nameOf of [
      ({ headers }: ReceivedWebhook) => headers['x-service-delivery'],
      ({ body }: ReceivedWebhook) => body.id,
    ])
      expect(new Set(receiver.received.map(nameOf)).size).toBe(receiver.received.length)
  }
})

test('sends the specified envelope, signs its bytes and stores them as sent', async () => {
  for (const endpoint of [everything, byName]) {
    const path = `/api/webhook-deliveries?webhook_id=${endpoint.id}&limit=200`
    const { data } = (await clients.merchant.call('GET', path)).body
    const recorded = new Map<unknown, any>(data.map((delivery: { id: string }) => [delivery.id, delivery]))
    expect(recorded.size).toBe(endpoint.receiver.received.length)
    for (const webhook of endpoint.receiver.received) {
      const { headers, rawBody, body } = webhook
      expect([body.event, isSigned(webhook, endpoint.secret)]).toEqual([body.event, true])
      expect(await verifyWebhook(rawBody, headers, endpoint.secret)).toEqual(body)
      await expect(verifyWebhook(`${rawBody} `, headers, endpoint.secret)).rejects.toThrow('signature_mismatch')
      expect(Object.keys(body)).toEqual(['id', 'object', 'event', 'merchant_id', 'created_at', 'data'])
      expect(body).toMatchObject({
        id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
        object: 'event',
        merchant_id: stack.stack.merchant_id,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-service-event': body.event,
        'x-service-delivery': expect.stringMatching(/^whd_[0-9a-hjkmnp-tv-z]{26}$/),
      })
      expect(recorded.get(headers['x-service-delivery'])).toMatchObject({
        event_id: body.id,
        event: body.event,
        payload: rawBody,
        status: 'succeeded',
        attempt_count: 1,
        response_status: 200,
        response_body: 'noted',
      })
    }
  }
})

test('has the events in the feed, with the bytes and the numbers that the endpoints received', async () => {
  const { data } = await readFeed()
  expect(data.map(({ sequence }) => sequence)).toEqual(data.map((_, place) => data[0]!.sequence + place))
  const tested = everything.receiver.received
  const sent = tested.map(({ body, headers, rawBody }) => [body.id, headers['x-service-sequence'], rawBody])
  const ids = new Set(tested.map(({ body }) => body.id))
  const inFeed = data
    .filter(({ id }) => ids.has(id))
    .map(({ id, sequence, payload }) => [id, String(sequence), payload])
  expect(inFeed.toSorted()).toEqual(sent.toSorted())
  expect(data.map(({ event }) => event)).not.toContain('webhook.test')
})

test('answers a call that waits for the next event as soon as it happens', async () => {
  const { head } = await readFeed()
  const path = `/api/webhook-events?after=${head}&events=checkout_session.*&wait=20`
  const waiting = clients.merchant.call('GET', path)
  const { id } = await session()
  const { status, body } = await waiting
  expect(status).toBe(200)
  expect(body.data.map((one: any) => JSON.parse(one.payload).data.id)).toEqual([id])
})

/** Reads all events of the merchant's feed. */
async function readFeed(): Promise<{ data: any[]; head: number }> {
  const data: any[] = []
  for (let after = 0; ; ) {
    const { body } = await clients.merchant.call('GET', `/api/webhook-events?after=${after}&limit=200`)
    data.push(...body.data)
    after = body.through
    if (after === body.head) return { data, head: after }
  }
}

test("puts a transaction's identity, state and lifecycle into its events", () => {
  const standing: Record<string, string> = {
    'payment.approved': 'approved',
    'payment.pending': 'pending',
    'payment.declined': 'declined',
    'payment.failed': 'failed',
    'payment.cancelled': 'cancelled',
    'payment.refunded': 'refunded',
    'payment.chargeback': 'chargeback',
  }
  const webhooks = everything.receiver.received.filter(({ body }) => body.data.id.startsWith('txn_'))
  expect(new Set(webhooks.map(({ body }) => body.event))).toEqual(new Set(Object.keys(standing)))
  for (const { body } of webhooks) {
    expect(body.data).toMatchObject({
      rail: 'online_cnp',
      amount_cents: 25_000,
      currency: 'MXN',
      status: standing[body.event],
      correlation_id: expect.stringMatching(/^corr_/),
    })
  }
})

test('records each event in the audit log once, under the same id', async () => {
  const ids = new Set(byName.receiver.received.map(({ body }) => body.id as string))
  const found = () => stack.query('select id from audit.events where id = any($1)', [[...ids]])
  await waitFor(async () => (await found()).length >= ids.size)
  expect(await found()).toHaveLength(ids.size)
  for (const { body } of byName.receiver.received) {
    const { status, body: answer } = await clients.operator.call('GET', `/api/events/${body.id}`, undefined, stated())
    expect([body.event, status]).toEqual([body.event, 200])
    expect(answer.data).toMatchObject({
      id: body.id,
      action: body.event,
      merchant_id: body.merchant_id,
      target_id: body.data.id,
      occurred_at: body.created_at,
      correlation_id: body.data.correlation_id ?? null,
    })
  }
})
