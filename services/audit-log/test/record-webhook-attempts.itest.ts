import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { eventMessage, startedWorld, type World } from './audit-log-world.ts'

let world: World
let service: Awaited<ReturnType<World['start']>>

beforeAll(async () => {
  ;({ world, service } = await startedWorld())
})
afterAll(() => world.close())

const attemptEvent = (correlation_id: string, name = 'webhook.delivered') =>
  eventMessage({
    name,
    correlation_id,
    merchant_id: newId('mrc'),
    target_id: newId('whd'),
    data: { webhook_id: newId('whk'), event_id: newId('evt'), attempt: 2, response_status: 500, duration_ms: 31 },
  })

test('every event of a message is recorded with its own fields and the trace of its attempt', async () => {
  const correlation_id = newId('corr')
  const names = ['webhook.delivered', 'webhook.attempt_failed', 'webhook.exhausted']
  const events = names.map(name => attemptEvent(correlation_id, name))
  const traceId = '1'.repeat(32)
  await world.publishWebhookAttempts(events, { traceparent: `00-${traceId}-${'2'.repeat(16)}-01` })
  await waitFor(async () => (await world.recorded(correlation_id)).length === events.length)
  for (const { id, name, merchant_id, target_id, occurred_at, data } of events) {
    const { body } = await service.call(operatorCaller('all'), `/api/events/${id}`)
    const { webhook_id, event_id, attempt, response_status, duration_ms } = data
    expect(body.data).toMatchObject({
      ...{ action: name, category: 'webhook', merchant_id, target_id, occurred_at, trace_id: traceId },
      metadata: { webhook_id, event_id, attempt, response_status, duration_ms },
    })
  }
})

test('an event that arrives in several messages and in one of its own is recorded once', async () => {
  const correlation_id = newId('corr')
  const events = Array.from({ length: 30 }, () => attemptEvent(correlation_id))
  await Promise.all(events.slice(5, 15).map(world.publish))
  await world.publishWebhookAttempts(events.slice(0, 20))
  // RabbitMQ delivers the messages of a queue in their order, so all of them have arrived once the last of each is recorded.
  const last = [attemptEvent(correlation_id), attemptEvent(correlation_id)] as const
  await world.publishWebhookAttempts([...events.slice(10), last[0]])
  await world.publish(last[1])
  const ids = async () => (await world.recorded(correlation_id)).map(({ id }) => id)
  await waitFor(async () => (await ids()).filter(id => last.some(one => one.id === id)).length === last.length)
  expect(await ids()).toEqual([...events, ...last].map(({ id }) => id).sort())
  const { body } = await service.call(operatorCaller('all'), '/api/events/integrity')
  expect(body.data).toMatchObject({ ok: true, first_fault: null })
})

test('an event of something else fails its message, which names it, and the others are recorded', async () => {
  const correlation_id = newId('corr')
  const others = [
    eventMessage({ name: 'auth.login', correlation_id }),
    eventMessage({ name: 'http.request', correlation_id }),
    { ...attemptEvent(correlation_id), occurred_at: 'yesterday' },
  ]
  for (const other of others) {
    const id = await world.publishWebhookAttempts([attemptEvent(correlation_id), other, attemptEvent(correlation_id)])
    const { reason } = await waitFor(() => world.deadLetter('audit-log.webhook-attempts', id))
    expect(reason).toContain(other.id)
  }
  const names = (await world.recorded(correlation_id)).map(({ action }) => action)
  expect(names).toEqual(Array(6).fill('webhook.delivered'))
})
