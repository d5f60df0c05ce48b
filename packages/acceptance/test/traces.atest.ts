import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { payByCard } from '@cobro/local-stack'
import { type ReceivedSpan, startOtlpReceiver, waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf } from '../src/api-client.ts'
import { checkRefundsTomorrow } from '../src/refund-checks.ts'
import {
  mixedUp,
  outdatedAttributes,
  outdatedNames,
  revealingNames,
  steps,
  stepsOf,
  tracesOf,
} from '../src/trace-shape.ts'
import { startReceiver } from '../src/webhook-receiver.ts'
import { alternativeTraces, journeys } from './lifecycle-traces.ts'

const services = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log'] as const
const atOnce = 200
/** A number that two cores can process in time; more would fail, which this test does not check. */
const paidAtOnce = 10
/** Much longer than a payment or a stop may take: what waits for an export is recognized by it. */
const exportTimeoutMs = 90_000

/** What a test opened; closed even if the test fails. */
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>
beforeAll(async () => {
  collector = await startOtlpReceiver()
  stack = await acceptanceStack({
    all: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      // No span may be dropped, however many end at once.
      OTEL_BSP_MAX_QUEUE_SIZE: '100000',
      OTEL_BSP_EXPORT_TIMEOUT: String(exportTimeoutMs),
      OTEL_EXPORTER_OTLP_TIMEOUT: String(exportTimeoutMs),
    },
    'acquirer-sandbox': { REFUND_DELAY_MS: '500' },
  })
  await checkRefundsTomorrow(stack)
  clients = await clientsOf(stack.stack)
})
afterAll(async () => {
  await stack?.stop()
  await collector?.stop()
})

/** Creates a merchant whose endpoint accepts webhooks of 7.77 pesos only on the third attempt. */
async function merchantWithReceiver() {
  const { stranger: merchant } = clients
  const receiver = await startReceiver(({ headers, body }, before) => {
    const delivery = headers['x-service-delivery']
    const attempts = before.filter(one => one.headers['x-service-delivery'] === delivery).length
    return body.data.amount_total === 777 && attempts < 2 ? 500 : 200
  })
  const { id } = (await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })).body
  closing.push(() => merchant.call('DELETE', `/api/webhooks/${id}`), receiver.stop)
  // The acquirer's public key is fetched once in minutes: before the traces under test.
  await pay((await open(merchant)).id)
  return merchant
}

const open = async (merchant: ApiClient, more: object = {}): Promise<{ id: string; correlation_id: string }> => {
  const order = { amount_total: 25_000, return_url: 'https://shop.mx', ...more }
  return (await merchant.call('POST', '/checkout/v1/sessions', order)).body
}
const pay = (idOrUrl: string, card = '4242424242424242') => payByCard(stack.stack.hosted_url, idOrUrl, card)

test('produces the exact span trees of seven journeys, each under its correlation id', async () => {
  const merchant = await merchantWithReceiver()
  const expired = await open(merchant, { expires_in: 1 })
  const created = await open(merchant)
  const approved = await open(merchant)
  await pay(approved.id)
  const declined = await open(merchant)
  await pay(declined.id, '4000000000009995')
  const refunded = await open(merchant)
  await pay(refunded.id)
  const paid = await merchant.call('GET', `/api/transactions?correlation_id=${refunded.correlation_id}`)
  expect((await merchant.call('POST', `/api/transactions/${paid.body.data[0].id}/refund`)).status).toBe(202)
  const link = (await merchant.call('POST', '/checkout/v1/links', { amount: '250.50', concepto: 'Curso' })).body.data
  await pay(link.url)
  const retried = await open(merchant, { amount_total: 777 })

  const lifecycles = { created, approved, declined, expired, refunded, link, retried }
  const found = (spans: ReceivedSpan[]) =>
    Object.entries(lifecycles).map(([name, { correlation_id }]) => {
      const traces = tracesOf(spans, correlation_id)
      return [name, traces.map(trace => alternativeTraces.get(trace) ?? trace)]
    })
  await waitFor(
    () => {
      const spans = collector.spans()
      expect(Object.fromEntries(found(spans))).toEqual(journeys)
      expect(mixedUp(spans)).toEqual([])
      return true
    },
    { intervalMs: 200 },
  )
  const { pathname } = new URL(stack.stack.postgres_url)
  expect(revealingNames(collector.spans(), [pathname.slice(1), stack.bus.namespace])).toEqual([])
  expect(outdatedAttributes(collector.spans())).toEqual([])
  expect(outdatedNames(collector.spans())).toEqual([])
  const repeated = ({ attributes }: ReceivedSpan) =>
    'http.request.method_original' in attributes &&
    attributes['http.request.method_original'] === attributes['http.request.method']
  expect(collector.spans().filter(repeated)).toEqual([])
})

test(`keeps the traces of ${atOnce} concurrent lifecycles separate`, async () => {
  const merchant = await merchantWithReceiver()
  const patience = { intervalMs: 250 }
  // On a slow machine some calls wait too long for a connection, are rejected and repeated.
  const opened = () =>
    waitFor(async () => {
      const session = await open(merchant)
      return session.id !== undefined && session
    }, patience)
  const paid = ({ id }: { id: string }) => waitFor(async () => (await pay(id)).status !== 503, patience)
  const lifecycles = await Promise.all(Array.from({ length: atOnce }, opened))
  for (let first = 0; first < atOnce; first += paidAtOnce)
    await Promise.all(lifecycles.slice(first, first + paidAtOnce).map(paid))
  const expected = steps(journeys.approved)
  await waitFor(
    () => {
      const spans = collector.spans()
      const byId = Map.groupBy(spans, ({ attributes }) => attributes.correlation_id)
      for (const { correlation_id: id } of lifecycles) expect(stepsOf(byId.get(id) ?? [], id)).toEqual(expected)
      expect(mixedUp(spans)).toEqual([])
      return true
    },
    { intervalMs: 500 },
  )
}, 600_000)

test("tags one payment's spans of all five services with one correlation id", async () => {
  const { merchant } = clients
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
  const session = (
    await merchant.call(
      'POST',
      '/checkout/v1/sessions',
      { amount_total: 25_000, return_url: 'https://shop.mx' },
      { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' },
    )
  ).body
  await payByCard(stack.stack.hosted_url, session.id, '4242424242424242')
  await waitFor(() => receiver.acknowledged().includes('checkout_session.completed'))

  const ours = (span: ReceivedSpan) => span.attributes.correlation_id === session.correlation_id
  await waitFor(() => {
    const found = collector.spans().filter(ours)
    const complete = services.every(service => found.some(span => span.service === service))
    return complete && found.some(span => span.kind === 'client' && span.service === 'webhooks-dispatcher')
  })
  // A trace header from outside is not adopted.
  expect(collector.spans().some(span => span.traceId === '11111111111111111111111111111111')).toBe(false)

  // The payment's own trace spans HTTP, database, broker and consumer, from the gateway to the webhook.
  const trace = await waitFor(() => {
    const pay = collector
      .spans()
      .find(
        span => ours(span) && span.kind === 'server' && span.name.endsWith('/payments') && span.service === 'gateway',
      )
    const found = collector.spans().filter(span => span.traceId === pay?.traceId)
    const ids = new Set(found.map(span => span.spanId))
    const complete = ['checkout', 'gateway', 'transactions', 'webhooks-dispatcher'].every(service =>
      found.some(span => span.service === service),
    )
    return complete && found.every(span => !span.parentSpanId || ids.has(span.parentSpanId)) && found
  })
  expect(trace.filter(span => !ours(span)).map(span => `${span.service} ${span.name}`)).toEqual([])
})

test('puts the events of each expiry into its own trace although they share a transaction', async () => {
  const { merchant } = clients
  const open = () =>
    merchant.call('POST', '/checkout/v1/sessions', { amount_total: 1, return_url: 'https://shop.mx', expires_in: 1 })
  const ids = (await Promise.all([open(), open()])).map(({ body }) => body.correlation_id)
  const traces = await waitFor(() => {
    const found = ids.map(id => {
      const expiry = collector
        .spans()
        .find(span => span.name === 'expire payable' && span.attributes.correlation_id === id)
      return expiry && collector.spans().filter(span => span.traceId === expiry.traceId)
    })
    // The event reaches its consumers.
    return found.every(trace => trace?.some(span => span.service === 'transactions')) && found
  })
  for (const [index, trace] of traces.entries())
    expect(new Set(trace?.map(span => span.attributes.correlation_id))).toEqual(new Set([ids[index]]))
})

test('adds the correlation id to log lines', async () => {
  const { merchant } = clients
  const receiver = await startReceiver()
  closing.push(receiver.stop)
  await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['checkout_session.created'] })
  const session = (
    await merchant.call('POST', '/checkout/v1/sessions', { amount_total: 1, return_url: 'https://shop.mx' })
  ).body
  await waitFor(() => receiver.received.length > 0)
  const line = await waitFor(async () => {
    const log = await readFile(stack.stack.services['webhooks-dispatcher']!.log, 'utf8')
    return log.split('\n').find(text => text.includes(session.correlation_id))
  })
  expect(JSON.parse(line)).toMatchObject({
    correlation_id: session.correlation_id,
    service: 'webhooks-dispatcher',
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
})

test('delays neither a payment nor a stop when the collector is unreachable or never answers', async () => {
  const { merchant } = clients
  const took = async () => {
    const { id } = await open(merchant)
    const began = performance.now()
    expect((await pay(id)).status).toBe(200)
    return performance.now() - began
  }
  // A machine that stands still for seconds makes some payments slow. One that waits for an export makes each of them slow.
  const baseline: number[] = []
  while (baseline.length < 9) baseline.push(await took())
  const boundMs = 2 * Math.min(...baseline) + 500
  const severalInTime = async (enough = () => true) => {
    let inTime = 0
    await waitFor(
      async () => {
        if ((await took()) < boundMs) inTime++
        return inTime >= 9 && enough()
      },
      { intervalMs: 0, timeoutMs: 120_000 },
    )
  }
  await collector.stop()
  await severalInTime()

  let asked = 0
  const silent = createServer(() => void asked++)
  closing.push(
    async () => silent.closeAllConnections(),
    async () => silent.close(),
  )
  silent.listen(Number(new URL(collector.url).port), '127.0.0.1')
  await once(silent, 'listening')
  await severalInTime(() => asked >= 4)
  const began = performance.now()
  await Promise.all(services.map(name => stack.process(name).stop()))
  // Unexported spans get three seconds. A stop that waits for the export ends after 40, at the deadline of every stop.
  expect(performance.now() - began).toBeLessThan(30_000)
}, 600_000)
