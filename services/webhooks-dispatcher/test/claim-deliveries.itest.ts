import { keyCaller } from '@cobro/http/test-identity'
import type { ClaimedDelivery, ClaimLimits } from '../src/delivery-queue/claim-deliveries.ts'
import { ignoreFailpoints } from '../src/delivery-queue/failpoints.ts'
import { refreshEndpointQueues } from '../src/delivery-queue/refresh-endpoint-queues.ts'
import { longestDue } from '../src/sending/delivery-metrics.ts'
import { type CompletedAttempt, recordAttempts } from '../src/sending/record-attempts.ts'
import { redeliver } from '../src/webhook-deliveries/redeliver.ts'
import { eventOf } from './dispatcher-service.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())
beforeEach(() => world.run('with jobs as (delete from webhooks.jobs) delete from webhooks.lanes'))

const response = { status_code: 200, error: null, response_body: '', retry_after: null, duration_ms: 5 }
const run: QueueWorld['run'] = (sql, params) => world.run(sql, params)
const take = (limits?: Partial<ClaimLimits>) => world.take(limits)
/** Creates an endpoint with a number of due deliveries. */
const endpointWith = async (due: number) => (await world.endpoint(due)).id
const endLeases = async () => {
  await run(`update webhooks.jobs set due_at = now() - interval '1 second' where leased`)
  await refreshEndpointQueues(world.db)
}
const deliveryOf = async (webhookId: string) =>
  (
    await run<{ id: string; status: string; attempt_count: number }>(
      'select * from webhooks.deliveries where webhook_id = ?',
      [webhookId],
    )
  )[0]!
const attemptsOf = (id: string) =>
  run('select number, status_code, error from webhooks.attempts where delivery_id = ? order by number', [id])
const succeeded = (delivery: ClaimedDelivery): CompletedAttempt => ({
  ...{ delivery, sentAt: new Date(), response, outcome: { kind: 'succeeded' }, trace: {} },
})
const recordAll = (batch: CompletedAttempt[]) => recordAttempts({ db: world.db, failpoint: ignoreFailpoints }, batch)
const record = async (delivery: ClaimedDelivery, change: Partial<CompletedAttempt> = {}) =>
  (await recordAll([{ ...succeeded(delivery), ...change }]))[0]

test('concurrent claims lease at most ten deliveries of an endpoint', async () => {
  const id = await endpointWith(25)
  const claims = await Promise.all(Array.from({ length: 8 }, () => take({ woken: [id] })))
  expect(claims.flat()).toHaveLength(10)
  expect(await take({ woken: [id] })).toHaveLength(0)
  expect(await record(claims.flat()[0]!)).toBe(true)
  expect(await take({ woken: [id] })).toHaveLength(1)
})

test('claims alternate between endpoints, whatever their backlogs', async () => {
  const busy = await endpointWith(12)
  const quiet = await endpointWith(2)
  const turns: string[] = []
  for (let i = 0; i < 4; i++) {
    for (const delivery of await take({ maxEndpoints: 1, maxPerEndpoint: 1 })) turns.push(delivery.webhook_id)
    await refreshEndpointQueues(world.db)
  }
  expect(turns).toEqual([busy, quiet, busy, quiet])
})

test('an endpoint with ten in flight and more waiting leaves the turn to others', async () => {
  const full = await endpointWith(25)
  await run(`update webhooks.jobs set due_at = now() - interval '1 hour' where webhook_id = ?`, [full])
  expect(await take()).toHaveLength(10)
  const other = await endpointWith(1)
  await refreshEndpointQueues(world.db)
  expect(await take({ maxEndpoints: 1 })).toMatchObject([{ webhook_id: other }])
})

test('an endpoint that keeps being woken does not take the turns of others', async () => {
  const woken = await endpointWith(8)
  const other = await endpointWith(8)
  const turns: string[] = []
  for (let i = 0; i < 4; i++)
    for (const delivery of await take({ maxEndpoints: 1, maxPerEndpoint: 1, woken: [woken] }))
      turns.push(delivery.webhook_id)
  expect(turns.toSorted()).toEqual([woken, woken, other, other].toSorted())
})

test.each([1, 10])('the most overdue delivery counts from its own due time, also with %i in flight', async inFlight => {
  const id = await endpointWith(inFlight + 1)
  await run(`update webhooks.jobs set due_at = due_at - interval '1 minute' where webhook_id = ?`, [id])
  expect(await take({ maxPerEndpoint: inFlight })).toHaveLength(inFlight)
  const [age] = await run<{ value: number }>(longestDue)
  expect(age?.value).toBeGreaterThanOrEqual(60)
  expect(age?.value).toBeLessThan(90)
})

test('a claim leases the oldest deliveries of an endpoint first', async () => {
  const id = await endpointWith(3)
  const [first] = await run<{ delivery_id: string }>(
    'select delivery_id from webhooks.jobs where webhook_id = ? order by due_at limit 1',
    [id],
  )
  expect((await take({ maxPerEndpoint: 1 })).map(delivery => delivery.delivery_id)).toEqual([first!.delivery_id])
})

test('an attempt whose lease was lost is not recorded', async () => {
  const id = await endpointWith(1)
  const [stale] = await take()
  expect(await take({ woken: [id] })).toEqual([])
  await endLeases()
  const [claimed] = await take()
  expect(claimed).toMatchObject({ delivery_id: stale!.delivery_id, attempt: 2, abandoned: true })
  expect(await record(stale!)).toBe(false)
  expect(await deliveryOf(id)).toMatchObject({ status: 'delivering', attempt_count: 2 })
  expect(await attemptsOf(stale!.delivery_id)).toEqual([{ number: 1, status_code: null, error: 'unknown' }])
  expect(await record(claimed!)).toBe(true)
  expect(await deliveryOf(id)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
  expect(await record(claimed!)).toBe(false)
})

test('attempts recorded in one batch each get their own outcome, except one whose lease was lost', async () => {
  const id = await endpointWith(4)
  const [stale] = await take({ maxPerEndpoint: 1 })
  await endLeases()
  const claimed = await take()
  expect(claimed.filter(delivery => delivery.abandoned)).toMatchObject([{ delivery_id: stale!.delivery_id }])
  const [good, bad] = claimed.filter(delivery => !delivery.abandoned)
  const retry = { response: { ...response, status_code: 500 }, outcome: { kind: 'retry', delayMs: 30_000 } } as const
  const batch = [succeeded(stale!), succeeded(good!), { ...succeeded(bad!), ...retry }]
  expect(await recordAll(batch)).toEqual([false, true, true])
  const rows = await run('select id, status, response_status from webhooks.deliveries where webhook_id = ?', [id])
  expect(rows).toEqual(
    expect.arrayContaining([
      { id: stale!.delivery_id, status: 'delivering', response_status: null },
      { id: good!.delivery_id, status: 'succeeded', response_status: 200 },
      { id: bad!.delivery_id, status: 'pending', response_status: 500 },
    ]),
  )
  expect(await attemptsOf(good!.delivery_id)).toEqual([{ number: 1, status_code: 200, error: null }])
  expect(await attemptsOf(bad!.delivery_id)).toEqual([{ number: 1, status_code: 500, error: null }])
})

test('a delivery is exhausted after five attempts by senders that die', async () => {
  const id = await endpointWith(1)
  for (let attempt = 1; attempt <= 5; attempt++) {
    expect(await take()).toMatchObject([{ attempt }])
    await endLeases()
  }
  expect(await take()).toEqual([])
  const delivery = await deliveryOf(id)
  expect(delivery).toMatchObject({ status: 'exhausted', attempt_count: 5 })
  expect(await attemptsOf(delivery.id)).toEqual(
    [1, 2, 3, 4, 5].map(number => ({ number, status_code: null, error: 'unknown' })),
  )
  const emitted = await run<{ name: string; body: Buffer }>(`select name, body from webhooks.outbox order by id`)
  const ours = emitted.filter(event => JSON.parse(event.body.toString()).target_id === delivery.id)
  expect(ours.map(event => event.name)).toEqual([...Array(5).fill('webhook.attempt_failed'), 'webhook.exhausted'])
})

test('a redelivery is sent again after its lease expired, five times at most', async () => {
  const id = await endpointWith(1)
  const [first] = await take()
  await record(first!)
  const caller = { ...keyCaller(), merchant_id: first!.merchant_id }
  await redeliver({ db: world.db, sender: { wake: () => undefined } }, caller, first!.delivery_id)
  const [claimed] = await take()
  expect(claimed).toMatchObject({ attempt: 2, one_shot_after: 1, abandoned: false })
  for (let attempt = 3; attempt <= 6; attempt++) {
    await endLeases()
    expect(await take()).toMatchObject([{ attempt, abandoned: true }])
  }
  expect(await record(claimed!)).toBe(false)
  await endLeases()
  expect(await take()).toEqual([])
  expect(await deliveryOf(id)).toMatchObject({ status: 'failed', attempt_count: 6 })
  const emitted = await run<{ name: string }>(`select name from webhooks.outbox order by id desc limit 1`)
  expect(emitted).toEqual([{ name: 'webhook.attempt_failed' }])
})

test.each([
  'delete from webhooks.endpoints where id = ?',
  `update webhooks.endpoints set status = 'disabled' where id = ?`,
])('a delivery fanned out while its endpoint was deleted or disabled is cancelled when claimed: %s', async sql => {
  const id = await endpointWith(1)
  await run(sql, [id])
  expect(await take()).toEqual([])
  expect(await deliveryOf(id)).toMatchObject({ status: 'cancelled', attempt_count: 0 })
  expect(await run('select 1 from webhooks.jobs where webhook_id = ?', [id])).toEqual([])
})

test.each([
  'delete from webhooks.endpoints where id = ?',
  `update webhooks.endpoints set status = 'disabled' where id = ?`,
])('a delivery that fails while its endpoint is deleted or disabled is cancelled instead of retried: %s', async sql => {
  const id = await endpointWith(1)
  const [claimed] = await take()
  await run(sql, [id])
  const failed = { ...response, status_code: 500 }
  expect(await record(claimed!, { response: failed, outcome: { kind: 'retry', delayMs: 3_600_000 } })).toBe(true)
  expect(await deliveryOf(id)).toMatchObject({ status: 'cancelled', attempt_count: 1, next_attempt_at: null })
  expect(await attemptsOf(claimed!.delivery_id)).toEqual([{ number: 1, status_code: 500, error: null }])
  expect(await run('select 1 from webhooks.jobs where webhook_id = ?', [id])).toEqual([])
})

test('refreshing endpoint queues finds a delivery that its queue missed', async () => {
  const id = await endpointWith(1)
  await run('update webhooks.lanes set next_due = null where webhook_id = ?', [id])
  expect(await take()).toEqual([])
  await refreshEndpointQueues(world.db)
  expect(await take()).toHaveLength(1)
})

test('an event that is fanned out twice in a batch, and again later, creates one delivery', async () => {
  const { id, merchant } = await world.endpoint(0)
  const event = eventOf(merchant.merchant_id)
  expect(await world.fanOut(event, event)).toEqual([id])
  expect(await world.fanOut(event)).toEqual([])
  expect(await run('select 1 from webhooks.deliveries where webhook_id = ?', [id])).toHaveLength(1)
})
