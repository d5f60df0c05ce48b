import { readFile } from 'node:fs/promises'
import { payHosted } from '@cobro/local'
import { type ReceivedSpan, startOtlpReceiver, waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

const services = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log']

/** What a test opened, closed also when it fails. */
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

let stack: AcceptanceStack
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>
beforeAll(async () => {
  collector = await startOtlpReceiver()
  stack = await acceptanceStack({
    all: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  })
}, 120_000)
afterAll(async () => {
  await stack?.stop()
  await collector?.stop()
}, 60_000)

test("one payment's spans of all five services bear one correlation id", async () => {
  const { merchant } = await clientsOf(stack.stack)
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
  await payHosted(stack.stack.hosted_url, session.id, '4242424242424242')
  await waitFor(() => receiver.acknowledged().includes('checkout_session.completed'))

  const ours = (span: ReceivedSpan) => span.attributes.correlation_id === session.correlation_id
  await waitFor(() => {
    const found = collector.spans().filter(ours)
    const complete = services.every(service => found.some(span => span.service === service))
    return complete && found.some(span => span.kind === 'client' && span.service === 'webhooks-dispatcher')
  })
  // A stranger's trace is not taken over.
  expect(collector.spans().some(span => span.traceId === '11111111111111111111111111111111')).toBe(false)

  // The payment's own trace goes from the gateway to the webhook: HTTP, database, broker, consumer.
  const trace = await waitFor(() => {
    const pay = collector
      .spans()
      .find(
        span => ours(span) && span.kind === 'server' && span.name.endsWith('/payments') && span.service === 'gateway',
      )
    const found = collector.spans().filter(span => span.traceId === pay?.traceId)
    const complete = ['checkout', 'gateway', 'transactions', 'webhooks-dispatcher'].every(service =>
      found.some(span => span.service === service),
    )
    return complete && found
  })
  expect(trace.filter(span => !ours(span)).map(span => `${span.service} ${span.name}`)).toEqual([])
  const ids = new Set(trace.map(span => span.spanId))
  expect(
    trace.filter(span => span.parentSpanId && !ids.has(span.parentSpanId)).map(span => `${span.service} ${span.name}`),
  ).toEqual([])
}, 60_000)

test('what expiries tell is part of the trace of each, though they share a transaction', async () => {
  const { merchant } = await clientsOf(stack.stack)
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
    // The event reaches whoever consumes it.
    return found.every(trace => trace?.some(span => span.service === 'transactions')) && found
  })
  for (const [index, trace] of traces.entries())
    expect(new Set(trace?.map(span => span.attributes.correlation_id))).toEqual(new Set([ids[index]]))
}, 60_000)

test('log lines bear the correlation id too', async () => {
  const { merchant } = await clientsOf(stack.stack)
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
}, 60_000)
