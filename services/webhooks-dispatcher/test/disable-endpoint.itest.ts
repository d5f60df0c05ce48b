import type { Outcome } from '../src/sending/attempt-outcome.ts'
import { deleteWebhook } from '../src/webhooks/delete-webhook.ts'
import { updateWebhook } from '../src/webhooks/update-webhook.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())
beforeEach(() => world.run('with jobs as (delete from webhooks.jobs) delete from webhooks.lanes'))

const gone: Outcome = { kind: 'gone' }
const exhausted: Outcome = { kind: 'exhausted' }
const later: Outcome = { kind: 'retry', waitMs: 30_000 }
const elsewhere = { url: 'http://127.0.0.1:4998/' }
type Endpoint = Awaited<ReturnType<QueueWorld['endpoint']>>

const update = ({ merchant, id }: Endpoint, change: object) => updateWebhook(world.deps, merchant, id, change)
const namesOf = async (id: string) => (await world.toldOf(id)).map(message => message.name)

test('410 of an address that the endpoint has left ends the delivery, and neither the endpoint nor what waits for it', async () => {
  const endpoint = await world.endpoint(2)
  const [job] = await world.take({ quantum: 1 })
  await update(endpoint, elsewhere)
  expect(await world.conclude(job!, 410, gone)).toBe(true)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active', disabled_reason: null })
  expect(await world.statusesOf(endpoint.id)).toEqual(['failed', 'pending'])
  const [next] = await world.take()
  expect(next?.url).toBe(elsewhere.url)
  await world.conclude(next!, 410, gone)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
})

test('410 to what was sent before the endpoint was made active again does not disable it', async () => {
  const endpoint = await world.endpoint(1)
  const [job] = await world.take()
  const sentAt = Date.now()
  await update(endpoint, { status: 'disabled' })
  // The change lies a moment behind the request, as clocks tell it.
  await world.run(`update webhooks.endpoints set updated_at = ?::timestamptz + interval '1 second'`, [new Date(sentAt)])
  await world.run(`update webhooks.endpoints set status = 'active'`)
  await world.conclude(job!, 410, gone)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active' })
})

test('what is used up at the old address does not count at the new one, which begins with a clean record', async () => {
  const endpoint = await world.endpoint(2)
  await world.run('update webhooks.endpoints set exhausted_in_a_row = 19')
  const [job] = await world.take({ quantum: 1 })
  await update(endpoint, elsewhere)
  await world.conclude(job!, 500, exhausted)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active', exhausted_in_a_row: 0 })
  const [next] = await world.take()
  await world.conclude(next!, 500, exhausted)
  expect(await world.endpointRow(endpoint.id)).toMatchObject({ status: 'active', exhausted_in_a_row: 1 })
})

test('disabled by hand, an endpoint says so, and each delivery that it takes along says so too', async () => {
  const endpoint = await world.endpoint(3)
  await update(endpoint, { description: 'x' })
  await update(endpoint, { status: 'disabled' })
  await update(endpoint, { status: 'disabled' })
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  const told = (await world.toldOf(endpoint.id)).slice(2)
  expect(told.map(message => message.name)).toEqual([
    'webhook_endpoint.updated',
    ...Array(3).fill('webhook.cancelled'),
    'webhook_endpoint.disabled',
    'webhook_endpoint.updated',
  ])
  const deliveries = await world.run(
    'select id, event_id, correlation_id from webhooks.deliveries where webhook_id = ?',
    [endpoint.id],
  )
  const cancelled = told.filter(message => message.name === 'webhook.cancelled')
  expect(
    cancelled.map(({ target_id, data, correlation_id }) => ({
      id: target_id,
      event_id: data.event_id,
      correlation_id,
    })),
  ).toEqual(expect.arrayContaining(deliveries))
  expect(told.at(-2)).toMatchObject({
    merchant_id: endpoint.merchant.merchant_id,
    data: { id: endpoint.id, cancelled_deliveries: 3 },
  })
})

test('what is being sent as its endpoint is disabled is cancelled once it fails, and kept where it succeeds', async () => {
  const endpoint = await world.endpoint(2)
  const [first, second] = await world.take()
  await update(endpoint, { status: 'disabled' })
  await world.conclude(first!, 500, later)
  await world.conclude(second!, 200, { kind: 'succeeded' })
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled', 'succeeded'])
  expect(await world.run('select 1 from webhooks.jobs')).toEqual([])
  expect(await namesOf(first!.delivery_id)).toEqual(['webhook.attempt_failed', 'webhook.cancelled'])
  expect(await namesOf(second!.delivery_id)).toEqual(['webhook.delivered'])
})

test('what was fanned out as its endpoint was disabled says that it is cancelled', async () => {
  const endpoint = await world.endpoint(1)
  await world.run(`update webhooks.endpoints set status = 'disabled' where id = ?`, [endpoint.id])
  expect(await world.take()).toEqual([])
  expect(await namesOf(endpoint.id)).toEqual(['webhook_endpoint.created', 'webhook.cancelled'])
})

test('a backlog of more than a thousand is told of by its number, as the endpoint is deleted', async () => {
  const endpoint = await world.endpoint(1)
  await world.run(
    `with delivery as (
       insert into webhooks.deliveries (id, webhook_id, merchant_id, url, event_id, event, kind, status, created_at)
       select id || i, webhook_id, merchant_id, url, event_id, event, 'manual', status, created_at
       from webhooks.deliveries, generate_series(1, 1000) i where webhook_id = ? returning id, webhook_id
     )
     insert into webhooks.jobs (delivery_id, webhook_id, due_at) select id, webhook_id, now() from delivery`,
    [endpoint.id],
  )
  await deleteWebhook(world.deps, endpoint.merchant, endpoint.id)
  expect(await world.run('select 1 from webhooks.jobs')).toEqual([])
  expect(new Set(await world.statusesOf(endpoint.id))).toEqual(new Set(['cancelled']))
  expect(await namesOf(endpoint.id)).toEqual(['webhook_endpoint.created', 'webhook_endpoint.deleted'])
  expect((await world.toldOf(endpoint.id)).at(-1)).toMatchObject({ data: { cancelled_deliveries: 1_001 } })
})
