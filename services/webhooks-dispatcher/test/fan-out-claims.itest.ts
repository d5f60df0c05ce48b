import { randomUUID } from 'node:crypto'
import { inboxOf } from '@cobro/database'
import { requeueClaim } from '../src/delivery-queue/requeue-deliveries.ts'
import { type DirectClaim, fanOutEvents } from '../src/webhook-deliveries/fan-out-events.ts'
import { disableEndpoint } from '../src/webhooks/disable-endpoint.ts'
import { eventOf } from './dispatcher-service.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())

const claimOf = (changes: Partial<DirectClaim['claimable']> = {}, capacity = 500): DirectClaim => ({
  ...{ id: randomUUID(), leaseMs: 60_000, capacity, claimable: { named: new Map(), others: 500, ...changes } },
})

/** Fans out a number of events of a merchant with a claim. */
function fanOut(merchantId: string, events: number, claim = claimOf()) {
  const batch = Array.from({ length: events }, () => ({ message: eventOf(merchantId) as never, trace: {} }))
  return fanOutEvents(inboxOf(world.db), batch, claim)
}

const queued = (webhookId: string) =>
  world.run('select leased, attempt, claim from webhooks.jobs where webhook_id = ? order by leased', [webhookId])

test('new deliveries of an endpoint for which nothing is due are leased, as a claim would lease them', async () => {
  const { id, merchant } = await world.endpoint(0)
  const claim = claimOf()
  const { deliveries, woken } = await fanOut(merchant.merchant_id, 1, claim)
  expect(woken).toEqual([])
  expect(await queued(id)).toEqual([{ leased: true, attempt: 1, claim: claim.id }])
  expect(await world.statusesOf(id)).toEqual(['delivering'])
  expect((await world.claim({ woken: [id] })).deliveries).toEqual([])
  await requeueClaim(world, claim.id)
  expect((await world.claim({ woken: [id] })).deliveries).toMatchObject(deliveries)
})

test('events that were received before are not leased again', async () => {
  const { merchant } = await world.endpoint(0)
  const batch = [{ message: eventOf(merchant.merchant_id) as never, trace: {} }]
  await fanOutEvents(inboxOf(world.db), batch, claimOf())
  expect(await fanOutEvents(inboxOf(world.db), batch, claimOf())).toEqual({ deliveries: [], woken: [] })
})

test('all new deliveries of an endpoint are queued if one of them is above the limit in flight', async () => {
  const { id, merchant } = await world.endpoint(0)
  expect((await fanOut(merchant.merchant_id, 8)).deliveries).toHaveLength(8)
  expect(await fanOut(merchant.merchant_id, 3)).toEqual({ deliveries: [], woken: [id] })
  expect((await queued(id)).filter(job => !(job as { leased: boolean }).leased)).toHaveLength(3)
})

test('new deliveries are queued behind others that are due, and overtake retries that are not', async () => {
  const { id, merchant } = await world.endpoint(1)
  expect(await fanOut(merchant.merchant_id, 1)).toEqual({ deliveries: [], woken: [id] })
  await world.run(`update webhooks.jobs set due_at = now() + interval '1 hour' where webhook_id = ?`, [id])
  await world.run(`update webhooks.lanes set next_due = now() + interval '1 hour' where webhook_id = ?`, [id])
  expect((await fanOut(merchant.merchant_id, 1)).deliveries).toHaveLength(1)
  const [queue] = await world.run('select next_due > now() as rests from webhooks.lanes where webhook_id = ?', [id])
  expect(queue).toEqual({ rests: true })
})

test('no delivery of a merchant is leased if there are more of them than it may have', async () => {
  const { id, merchant } = await world.endpoint(0)
  const merchantId = merchant.merchant_id
  const other = await world.endpoint(0, merchant)
  // Two events for each of two endpoints.
  const named = new Map([[merchantId, 3]])
  expect((await fanOut(merchantId, 2, claimOf({ named }))).woken.toSorted()).toEqual([id, other.id].toSorted())
  await world.claim()
  expect((await fanOut(merchantId, 2, claimOf({ others: 3 }))).deliveries).toEqual([])
  await world.claim()
  expect(
    (await fanOut(merchantId, 2, claimOf({ named: new Map([[merchantId, 4]]), others: 0 }))).deliveries,
  ).toHaveLength(4)
})

test('an endpoint that was served since the statement began is not claimed from, because its deliveries in flight are not known', async () => {
  const { id, merchant } = await world.endpoint(0)
  let fannedOut: ReturnType<typeof fanOut> | undefined
  await world.db.write(async tx => {
    await tx.execute('update webhooks.lanes set served_at = clock_timestamp() where webhook_id = ?', [id])
    fannedOut = fanOut(merchant.merchant_id, 1)
    while ((await world.waiting()) === 0) await new Promise(resolve => setTimeout(resolve, 5))
  })
  expect(await fannedOut).toEqual({ deliveries: [], woken: [id] })
})

test('nothing is leased if there is more of it than fits into the process', async () => {
  const { id, merchant } = await world.endpoint(0)
  expect(await fanOut(merchant.merchant_id, 3, claimOf({}, 2))).toEqual({ deliveries: [], woken: [id] })
})

test('nothing is leased for an endpoint that was disabled while the fan-out waited for its queue', async () => {
  const { id, url, merchant } = await world.endpoint(0)
  let fannedOut: ReturnType<typeof fanOut> | undefined
  await world.db.write(async (tx, emit) => {
    // As the recorded retry of another delivery does.
    await tx.execute(`update webhooks.lanes set next_due = now() + interval '1 hour' where webhook_id = ?`, [id])
    fannedOut = fanOut(merchant.merchant_id, 1)
    while ((await world.waiting()) === 0) await new Promise(resolve => setTimeout(resolve, 5))
    await disableEndpoint(tx, emit, { webhook_id: id, url }, { reason: 'gone', sentAt: new Date() })
  })
  expect(await fannedOut).toEqual({ deliveries: [], woken: [id] })
  const taken = await world.take({ woken: [id] })
  expect(taken.filter(({ webhook_id }) => webhook_id === id)).toEqual([])
  expect(await world.statusesOf(id)).toEqual(['cancelled'])
})
