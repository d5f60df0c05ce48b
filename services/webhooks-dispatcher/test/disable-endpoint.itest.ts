import { cancelInactiveQueues } from '../src/delivery-queue/cancel-queued-deliveries.ts'
import type { AttemptOutcome } from '../src/sending/retry-policy.ts'
import { deleteWebhook } from '../src/webhooks/delete-webhook.ts'
import { updateWebhook } from '../src/webhooks/update-webhook.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())
beforeEach(() => world.run('with jobs as (delete from webhooks.jobs) delete from webhooks.lanes'))

const gone: AttemptOutcome = { kind: 'gone' }
const exhausted: AttemptOutcome = { kind: 'exhausted' }
const retry: AttemptOutcome = { kind: 'retry', delayMs: 30_000 }
const elsewhere = { url: 'http://127.0.0.1:4998/' }
type Endpoint = Awaited<ReturnType<QueueWorld['endpoint']>>

const update = ({ merchant, id }: Endpoint, change: object) => updateWebhook(world.deps, merchant, id, change)
const namesOf = async (id: string) => (await world.eventsAbout(id)).map(message => message.name)

test('a 410 from an earlier URL of an endpoint fails the delivery, and leaves the endpoint and its queue alone', async () => {
  const endpoint = await world.endpoint(2)
  const [claimed] = await world.take({ maxPerEndpoint: 1 })
  await update(endpoint, elsewhere)
  expect(await world.record(claimed!, 410, gone)).toBe(true)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active', disabled_reason: null })
  expect(await world.statusesOf(endpoint.id)).toEqual(['failed', 'pending'])
  const [next] = await world.take()
  expect(next?.url).toBe(elsewhere.url)
  await world.record(next!, 410, gone)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
})

test('a 410 to a request sent before the endpoint was enabled again does not disable it', async () => {
  const endpoint = await world.endpoint(1)
  const [claimed] = await world.take()
  const sentAt = Date.now()
  await update(endpoint, { status: 'disabled' })
  // The endpoint changes long after the request was sent.
  await world.run(`update webhooks.endpoints set updated_at = ?::timestamptz + interval '1 hour'`, [new Date(sentAt)])
  await world.run(`update webhooks.endpoints set status = 'active'`)
  await world.record(claimed!, 410, gone)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active' })
})

test('deliveries exhausted at an earlier URL do not count against the new URL of an endpoint', async () => {
  const endpoint = await world.endpoint(2)
  await world.run('update webhooks.endpoints set exhausted_in_a_row = 19')
  const [claimed] = await world.take({ maxPerEndpoint: 1 })
  await update(endpoint, elsewhere)
  await world.record(claimed!, 500, exhausted)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active', exhausted_in_a_row: 0 })
  const [next] = await world.take()
  await world.record(next!, 500, exhausted)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active', exhausted_in_a_row: 1 })
})

test('disabling an endpoint emits webhook_endpoint.disabled, and webhook.cancelled for each queued delivery', async () => {
  const endpoint = await world.endpoint(3)
  await update(endpoint, { description: 'x' })
  await update(endpoint, { status: 'disabled' })
  await update(endpoint, { status: 'disabled' })
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  const events = (await world.eventsAbout(endpoint.id)).slice(2)
  expect(events.map(message => message.name)).toEqual([
    'webhook_endpoint.updated',
    ...Array(3).fill('webhook.cancelled'),
    'webhook_endpoint.disabled',
    'webhook_endpoint.updated',
  ])
  const deliveries = await world.run(
    'select id, event_id, correlation_id from webhooks.deliveries where webhook_id = ?',
    [endpoint.id],
  )
  const cancelled = events.filter(message => message.name === 'webhook.cancelled')
  expect(
    cancelled.map(({ target_id, data, correlation_id }) => ({
      id: target_id,
      event_id: data.event_id,
      correlation_id,
    })),
  ).toEqual(expect.arrayContaining(deliveries))
  expect(events.at(-2)).toMatchObject({
    merchant_id: endpoint.merchant.merchant_id,
    data: { id: endpoint.id, cancelled_deliveries: 3 },
  })
})

test('a delivery in flight while its endpoint is disabled is cancelled if it fails, and succeeds otherwise', async () => {
  const endpoint = await world.endpoint(2)
  const [first, second] = await world.take()
  await update(endpoint, { status: 'disabled' })
  await world.record(first!, 500, retry)
  await world.record(second!, 200, { kind: 'succeeded' })
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled', 'succeeded'])
  expect(await world.run('select 1 from webhooks.jobs')).toEqual([])
  expect(await namesOf(first!.delivery_id)).toEqual(['webhook.attempt_failed', 'webhook.cancelled'])
  expect(await namesOf(second!.delivery_id)).toEqual(['webhook.delivered'])
})

test('a delivery fanned out while its endpoint was disabled emits webhook.cancelled', async () => {
  const endpoint = await world.endpoint(1)
  await world.run(`update webhooks.endpoints set status = 'disabled' where id = ?`, [endpoint.id])
  expect(await world.take()).toEqual([])
  expect(await namesOf(endpoint.id)).toEqual(['webhook_endpoint.created', 'webhook.cancelled'])
})

/** Adds queued deliveries to an endpoint that has one: a third due, a third to be retried, a third held. */
const addQueued = (endpoint: Endpoint, number: number) =>
  world.run(
    `with delivery as (
       insert into webhooks.deliveries (id, webhook_id, merchant_id, url, event_id, event, kind, status, created_at)
       select 'whd_7' || substr(id, 6, 21) || to_char(i, 'FM0000'), webhook_id, merchant_id, url, event_id, event, 'manual', status, created_at
       from webhooks.deliveries, generate_series(1, ?::integer) i where webhook_id = ? returning id, webhook_id
     )
     insert into webhooks.jobs (delivery_id, webhook_id, due_at)
     select id, webhook_id, (array[now(), now() + interval '1 hour', 'infinity'])[row_number() over () % 3 + 1] from delivery`,
    [number, endpoint.id],
  )
const queuedOf = async ({ id }: Endpoint) =>
  (await world.run('select 1 from webhooks.jobs where webhook_id = ?', [id])).length
const remove = ({ merchant, id }: Endpoint) => deleteWebhook(world.deps, merchant, id)
const disable = (endpoint: Endpoint) => update(endpoint, { status: 'disabled' })

test.each([
  ['deleted', remove],
  ['disabled', disable],
])(
  'an endpoint that is %s cancels a thousand deliveries in its transaction, and the others later',
  async (name, end) => {
    const [endpoint, active] = [await world.endpoint(1), await world.endpoint(1)]
    await addQueued(endpoint, 2_000)
    await addQueued(active, 1)
    await end(endpoint)
    expect(await queuedOf(endpoint)).toBe(1_001)
    const [ended] = (await world.eventsAbout(endpoint.id)).filter(
      message => message.name === `webhook_endpoint.${name}`,
    )
    expect(ended).toMatchObject({ data: { cancelled_deliveries: 2_001 } })
    await cancelInactiveQueues(world.db)
    expect(await queuedOf(endpoint)).toBe(1)
    await cancelInactiveQueues(world.db)
    await cancelInactiveQueues(world.db)
    expect(await queuedOf(endpoint)).toBe(0)
    expect(new Set(await world.statusesOf(endpoint.id))).toEqual(new Set(['cancelled']))
    const cancelled = (await world.eventsAbout(endpoint.id)).filter(message => message.name === 'webhook.cancelled')
    expect(new Set(cancelled.map(message => message.target_id)).size).toBe(2_001)
    expect(await queuedOf(active)).toBe(2)
  },
)

test('a disabled endpoint is enabled only when its queue is cancelled, so that none of it is sent', async () => {
  const endpoint = await world.endpoint(1)
  await addQueued(endpoint, 2_000)
  await disable(endpoint)
  await expect(update(endpoint, { status: 'active' })).rejects.toThrow(
    '1001 deliveries of this webhook are still being cancelled: try again later',
  )
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'disabled' })
  await cancelInactiveQueues(world.db)
  expect(await queuedOf(endpoint)).toBe(1)
  await update(endpoint, { status: 'active' })
  expect(await queuedOf(endpoint)).toBe(0)
})

test('replicas that cancel the queues of inactive endpoints at the same time cancel each delivery once', async () => {
  const endpoint = await world.endpoint(1)
  await addQueued(endpoint, 3_000)
  await disable(endpoint)
  await Promise.all(Array.from({ length: 4 }, () => cancelInactiveQueues(world.db)))
  await cancelInactiveQueues(world.db)
  expect(await queuedOf(endpoint)).toBe(0)
  const cancelled = (await world.eventsAbout(endpoint.id)).filter(message => message.name === 'webhook.cancelled')
  expect([cancelled.length, new Set(cancelled.map(message => message.target_id)).size]).toEqual([3_001, 3_001])
})

test('after a claim in a transaction the rest of a disabled queue is due a second later', async () => {
  const endpoint = await world.endpoint(1)
  await addQueued(endpoint, 2_000)
  await world.run('update webhooks.jobs set due_at = now()')
  await disable(endpoint)
  expect((await world.claim()).queues).toMatchObject([{ webhook_id: endpoint.id, deferred: true, more: true }])
  const [before] = await world.run<{ now: Date }>('select now() as now')
  expect((await world.claim({}, { withEvents: true })).queues).toMatchObject([{ deferred: false, more: false }])
  expect(await queuedOf(endpoint)).toBe(991)
  const waits = `select next_due >= ?::timestamptz + interval '1 second' as waits from webhooks.lanes`
  expect(await world.run(waits, [before?.now])).toEqual([{ waits: true }])
})

test('deliveries in flight are not cancelled with the queue of their endpoint', async () => {
  const endpoint = await world.endpoint(2)
  const [claimed] = await world.take({ maxPerEndpoint: 1 })
  await disable(endpoint)
  await cancelInactiveQueues(world.db)
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled', 'delivering'])
  await world.record(claimed!, 200, { kind: 'succeeded' })
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled', 'succeeded'])
})
