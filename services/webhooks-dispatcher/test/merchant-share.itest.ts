import { keyCaller } from '@cobro/http/test-identity'
import { createWebhook } from '../src/webhooks/create-webhook.ts'
import { deleteWebhook } from '../src/webhooks/delete-webhook.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())
beforeEach(() => world.run('with jobs as (delete from webhooks.jobs) delete from webhooks.lanes'))

const numberOf = (claims: { merchant_id: string }[], merchant: { merchant_id: string }) =>
  claims.filter(claimed => claimed.merchant_id === merchant.merchant_id).length

test('a claim gives a merchant at most half of the capacity, spread evenly over its endpoints', async () => {
  const greedy = await world.endpoint(0)
  await world.endpoint(0, greedy.merchant)
  const quiet = await world.endpoint(2)
  for (let i = 0; i < 8; i++) await world.event(greedy.merchant)
  const claims = await world.take({ capacity: 12 })
  expect([numberOf(claims, greedy.merchant), numberOf(claims, quiet.merchant)]).toEqual([6, 2])
  expect(claims.filter(claimed => claimed.webhook_id === greedy.id)).toHaveLength(3)
})

test('a claim skips a merchant that has its share in flight, and its deliveries stay due', async () => {
  const greedy = await world.endpoint(2)
  const quiet = await world.endpoint(1)
  const inFlight = new Map([[greedy.merchant.merchant_id, 6]])
  expect((await world.take({ capacity: 6, inFlight, woken: [greedy.id] })).map(claimed => claimed.webhook_id)).toEqual([
    quiet.id,
  ])
  expect((await world.take({ capacity: 8, inFlight })).map(claimed => claimed.webhook_id)).toEqual([greedy.id])
})

test('a claim skips a merchant that has spent its budget of sends, and claims what is left of it', async () => {
  const greedy = await world.endpoint(5)
  const quiet = await world.endpoint(1)
  const take = async (count: number) => {
    const spent = new Map([[greedy.merchant.merchant_id, count]])
    const claims = await world.take({ budget: { perMerchant: 100, spent: () => spent } })
    return [numberOf(claims, greedy.merchant), numberOf(claims, quiet.merchant)]
  }
  expect(await take(100)).toEqual([0, 1])
  expect(await take(97)).toEqual([3, 0])
  expect(await take(0)).toEqual([2, 0])
})

test('concurrent requests cannot create more than twenty endpoints for a merchant', async () => {
  const merchant = keyCaller()
  const create = () => createWebhook(world.deps, merchant, { url: 'http://127.0.0.1:4999/', events: ['*'] })
  // Fewer at once than the pool has connections: a request that waits too long for one is a 503.
  const created = []
  for (let i = 0; i < 2; i++) created.push(...(await Promise.all(Array.from({ length: 9 }, create))))
  created.push(await create())
  const outcomes = await Promise.allSettled([create(), create(), create()])
  const rejected = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(rejected).toEqual(
    Array(2).fill(
      expect.objectContaining({
        code: 'conflict',
        detail: 'a merchant has at most 20 webhook endpoints: delete one that is not used',
      }),
    ),
  )
  await world.endpoint(0)
  await deleteWebhook(world.deps, merchant, created[0]!.id)
  expect(await create()).toMatchObject({ status: 'active' })
})
