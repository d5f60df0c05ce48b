import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOtlpReceiver, waitFor } from '@cobro/testing'
import { startProcess } from './dispatcher-process.ts'
import { eventOf } from './dispatcher-service.ts'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

const children: ChildProcess[] = []
const collector = await startOtlpReceiver()
const { world, receiver, replica, subscribed, stop } = await worldWithReceiver({
  answer: (path, before) => {
    if (path.startsWith('/hangs-once')) return before === 0 ? 'hang' : { status: 200 }
    return { status: path.startsWith('/fails-once') && before === 0 ? 500 : 200 }
  },
})
// A process that a failed test left would send the deliveries of the next test.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(async () => {
  await stop()
  await collector.stop()
})

/** Starts a process that exports its spans to the collector. */
function startTraced(settings: Record<string, string> = {}): ChildProcess {
  const env = {
    ...settings,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  const child = startProcess(world.config, { env })
  children.push(child)
  return child
}

const deliveriesOf = (webhookId: string) =>
  world.db.read(em =>
    em.execute<{ id: string; status: string; attempt_count: number }[]>(
      'select id, status, attempt_count from webhooks.deliveries where webhook_id = ?',
      [webhookId],
    ),
  )
const attemptsOf = (deliveryId: string) =>
  world.db.read(em =>
    em.execute('select number, status_code, error from webhooks.attempts where delivery_id = ? order by number', [
      deliveryId,
    ]),
  )

test('a process killed while sending leaves an unknown attempt, and the next process sends the delivery', async () => {
  const { merchant, id } = await subscribed({ path: '/hangs-once' })
  const killed = startTraced()
  const event = eventOf(merchant.merchant_id)
  await world.publish(event)
  await waitFor(() => receiver.at('/hangs-once').length === 1)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  // A lease lasts six times the timeout of an attempt.
  const [lease] = await world.db.read(em =>
    em.execute<{ seconds: number }[]>(
      'select extract(epoch from due_at - now())::float8 as seconds from webhooks.jobs where leased',
    ),
  )
  expect(lease?.seconds).toBeGreaterThan(60)
  expect(lease?.seconds).toBeLessThanOrEqual(360)
  await world.endLeases()
  const next = startTraced()
  const delivery = await waitFor(async () => (await deliveriesOf(id)).find(one => one.status === 'succeeded'))
  expect(await attemptsOf(delivery.id)).toEqual([
    { number: 1, status_code: null, error: 'unknown' },
    { number: 2, status_code: 200, error: null },
  ])
  expect(delivery.attempt_count).toBe(2)
  const sent = receiver.at('/hangs-once')
  expect(new Set(sent.map(one => one.headers['x-service-delivery']))).toEqual(new Set([delivery.id]))
  expect(new Set(sent.map(one => one.body.toString())).size).toBe(1)
  await waitFor(() => world.tap.names(event.correlation_id).includes('webhook.delivered'))
  expect(world.tap.names(event.correlation_id)).toEqual([
    'payment.approved',
    'webhook.attempt_failed',
    'webhook.delivered',
  ])
  next.kill('SIGTERM')
  expect(await once(next, 'exit')).toEqual([0, null])
})

test('on SIGTERM the dispatcher finishes and records attempts in flight, and exits with 0', async () => {
  const { merchant, id } = await subscribed({ path: '/hangs-once/sigterm' })
  // The retry is a day away.
  const child = startTraced({ WEBHOOK_RETRY_DELAYS_MS: '86400000' })
  await world.publish(eventOf(merchant.merchant_id))
  await waitFor(() => receiver.at('/hangs-once/sigterm').length === 1)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await expect(Promise.race([exited, sleep(500)])).resolves.toBeUndefined()
  receiver.cutHanging('/hangs-once/sigterm')
  expect(await exited).toEqual([0, null])
  const [delivery] = await deliveriesOf(id)
  expect(delivery).toMatchObject({ status: 'pending', attempt_count: 1 })
  expect(await attemptsOf(delivery!.id)).toEqual([{ number: 1, status_code: null, error: 'connection_reset' }])
})

test('two replicas send each delivery once', async () => {
  const { merchant, id } = await subscribed({ path: '/twice' })
  const replicas = [await replica(), await replica()]
  const events = Array.from({ length: 200 }, () => eventOf(merchant.merchant_id))
  await Promise.all(events.map(world.publish))
  await waitFor(async () => {
    const deliveries = await deliveriesOf(id)
    expect(deliveries.filter(one => one.status === 'succeeded')).toHaveLength(events.length)
    return true
  })
  for (const one of replicas) await one.stop()
  const sent = receiver.at('/twice').map(one => JSON.parse(one.body.toString()).id)
  expect(sent.sort()).toEqual(events.map(event => event.id).sort())
})

test('spans of both attempts have the correlation id, a retry has its own trace, and merchants get no trace headers', async () => {
  const { merchant } = await subscribed({ path: '/fails-once' })
  const child = startTraced()
  const event = eventOf(merchant.merchant_id)
  await world.publish(event)
  await waitFor(() => receiver.at('/fails-once').length === 2)
  for (const { headers } of receiver.at('/fails-once')) {
    expect(headers.traceparent ?? headers.baggage ?? headers.tracestate).toBeUndefined()
    expect(JSON.stringify(headers)).not.toContain(event.correlation_id)
  }
  const ours = () => collector.spans().filter(span => span.attributes.correlation_id === event.correlation_id)
  const [first, second, retry] = await waitFor(() => {
    const posts = ours().filter(span => span.kind === 'client' && span.name.startsWith('POST'))
    const retry = ours().find(span => span.name === 'webhook.retry')
    return posts.length === 2 && retry && [...posts, retry]
  })
  expect(retry!.links.map(link => link.traceId)).toEqual([first!.traceId])
  expect(second!.traceId).toBe(retry!.traceId)
  expect(second!.traceId).not.toBe(first!.traceId)
  child.kill('SIGTERM')
  await once(child, 'exit')
})
