import { readFile } from 'node:fs/promises'
import { payByCard } from '@cobro/local-stack'
import { type ReceivedSpan, waitFor } from '@cobro/testing'
import { mixedUp, outdatedAttributes, outdatedNames, revealingNames, tracesOf } from '../src/trace-shape.ts'
import { merchantWithReceiver, openSession, ownTracedStack } from '../src/traced-stack.ts'
import { startReceiver } from '../src/webhook-receiver.ts'
import { alternativeTraces, journeys } from './lifecycle-traces.ts'

const services = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log'] as const

const world = ownTracedStack()
const pay = (idOrUrl: string, card = '4242424242424242') => payByCard(world().stack.stack.hosted_url, idOrUrl, card)

test('produces the exact span trees of seven journeys, each under its correlation id', async () => {
  const merchant = await merchantWithReceiver(world())
  const expired = await openSession(merchant, { expires_in: 1 })
  const created = await openSession(merchant)
  const approved = await openSession(merchant)
  await pay(approved.id)
  const declined = await openSession(merchant)
  await pay(declined.id, '4000000000009995')
  const refunded = await openSession(merchant)
  await pay(refunded.id)
  const paid = await merchant.call('GET', `/api/transactions?correlation_id=${refunded.correlation_id}`)
  expect((await merchant.call('POST', `/api/transactions/${paid.body.data[0].id}/refund`)).status).toBe(202)
  const link = (await merchant.call('POST', '/checkout/v1/links', { amount: '250.50', concepto: 'Curso' })).body.data
  await pay(link.url)
  const retried = await openSession(merchant, { amount_total: 777 })

  const lifecycles = { created, approved, declined, expired, refunded, link, retried }
  const found = (spans: ReceivedSpan[]) =>
    Object.entries(lifecycles).map(([name, { correlation_id }]) => {
      const traces = tracesOf(spans, correlation_id)
      return [name, traces.map(trace => alternativeTraces.get(trace) ?? trace)]
    })
  await waitFor(
    () => {
      const spans = world().collector.spans()
      expect(Object.fromEntries(found(spans))).toEqual(journeys)
      expect(mixedUp(spans)).toEqual([])
      const ofRetried = spans.filter(({ attributes }) => attributes.correlation_id === retried.correlation_id)
      expect(ofRetried.filter(({ name }) => name === 'webhook.retry')).toHaveLength(2)
      return true
    },
    { intervalMs: 200 },
  )
  const { pathname } = new URL(world().stack.stack.postgres_url)
  expect(revealingNames(world().collector.spans(), [pathname.slice(1), world().stack.bus.namespace])).toEqual([])
  expect(outdatedAttributes(world().collector.spans())).toEqual([])
  expect(outdatedNames(world().collector.spans())).toEqual([])
  const repeated = ({ attributes }: ReceivedSpan) =>
    'http.request.method_original' in attributes &&
    attributes['http.request.method_original'] === attributes['http.request.method']
  expect(world().collector.spans().filter(repeated)).toEqual([])
})

test("tags one payment's spans of all five services with one correlation id", async () => {
  const { merchant } = world().clients
  const receiver = await startReceiver()
  world().closing.push(receiver.stop)
  await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
  const session = (
    await merchant.call(
      'POST',
      '/checkout/v1/sessions',
      { amount_total: 25_000, return_url: 'https://shop.mx' },
      { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' },
    )
  ).body
  await payByCard(world().stack.stack.hosted_url, session.id, '4242424242424242')
  await waitFor(() => receiver.acknowledged().includes('checkout_session.completed'))

  const ours = (span: ReceivedSpan) => span.attributes.correlation_id === session.correlation_id
  await waitFor(() => {
    const found = world().collector.spans().filter(ours)
    const complete = services.every(service => found.some(span => span.service === service))
    return complete && found.some(span => span.kind === 'client' && span.service === 'webhooks-dispatcher')
  })
  // A trace header from outside is not adopted.
  expect(
    world()
      .collector.spans()
      .some(span => span.traceId === '11111111111111111111111111111111'),
  ).toBe(false)

  // The payment's own trace spans HTTP, database, broker and consumer, from the gateway to the webhook.
  const trace = await waitFor(() => {
    const pay = world()
      .collector.spans()
      .find(
        span => ours(span) && span.kind === 'server' && span.name.endsWith('/payments') && span.service === 'gateway',
      )
    const found = world()
      .collector.spans()
      .filter(span => span.traceId === pay?.traceId)
    const ids = new Set(found.map(span => span.spanId))
    const complete = ['checkout', 'gateway', 'transactions', 'webhooks-dispatcher'].every(service =>
      found.some(span => span.service === service),
    )
    return complete && found.every(span => !span.parentSpanId || ids.has(span.parentSpanId)) && found
  })
  expect(trace.filter(span => !ours(span)).map(span => `${span.service} ${span.name}`)).toEqual([])
})

test('puts the events of each expiry into its own trace although they share a transaction', async () => {
  const { merchant } = world().clients
  const open = () =>
    merchant.call('POST', '/checkout/v1/sessions', { amount_total: 1, return_url: 'https://shop.mx', expires_in: 1 })
  const ids = (await Promise.all([open(), open()])).map(({ body }) => body.correlation_id)
  const traces = await waitFor(() => {
    const found = ids.map(id => {
      const expiry = world()
        .collector.spans()
        .find(span => span.name === 'expire payable' && span.attributes.correlation_id === id)
      return (
        expiry &&
        world()
          .collector.spans()
          .filter(span => span.traceId === expiry.traceId)
      )
    })
    // The event reaches its consumers.
    return found.every(trace => trace?.some(span => span.service === 'transactions')) && found
  })
  for (const [index, trace] of traces.entries())
    expect(new Set(trace?.map(span => span.attributes.correlation_id))).toEqual(new Set([ids[index]]))
})

test('adds the correlation id to log lines', async () => {
  const { merchant } = world().clients
  const receiver = await startReceiver()
  world().closing.push(receiver.stop)
  await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['checkout_session.created'] })
  const session = (
    await merchant.call('POST', '/checkout/v1/sessions', { amount_total: 1, return_url: 'https://shop.mx' })
  ).body
  await waitFor(() => receiver.received.length > 0)
  const lines = await waitFor(async () => {
    const log = await readFile(world().stack.stack.services['webhooks-dispatcher']!.log, 'utf8')
    const found = log.split('\n').filter(text => text.includes(session.correlation_id))
    return found.some(text => text.includes('webhook attempt')) && found.map(text => JSON.parse(text))
  })
  const ids = { correlation_id: session.correlation_id, trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) }
  expect(lines).toEqual(lines.map(line => ({ ...line, ...ids, service: 'webhooks-dispatcher' })))
})
