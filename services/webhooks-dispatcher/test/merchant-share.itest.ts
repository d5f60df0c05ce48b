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

const numberOf = (jobs: { merchant_id: string }[], merchant: { merchant_id: string }) =>
  jobs.filter(job => job.merchant_id === merchant.merchant_id).length

test("a claim takes half of the room for a merchant at the most, evenly over its endpoints, and others' whole", async () => {
  const greedy = await world.endpoint(0)
  await world.endpoint(0, greedy.merchant)
  const quiet = await world.endpoint(2)
  for (let i = 0; i < 8; i++) await world.event(greedy.merchant)
  const jobs = await world.take({ free: 12 })
  expect([numberOf(jobs, greedy.merchant), numberOf(jobs, quiet.merchant)]).toEqual([6, 2])
  expect(jobs.filter(job => job.webhook_id === greedy.id)).toHaveLength(3)
})

test('a merchant that has its share in flight is passed over, and stays due', async () => {
  const greedy = await world.endpoint(2)
  const quiet = await world.endpoint(1)
  const inFlight = new Map([[greedy.merchant.merchant_id, 6]])
  expect((await world.take({ free: 6, inFlight, woken: [greedy.id] })).map(job => job.webhook_id)).toEqual([quiet.id])
  expect((await world.take({ free: 8, inFlight })).map(job => job.webhook_id)).toEqual([greedy.id])
})

test('a merchant has a hundred endpoints at the most, however many are made at once', async () => {
  const merchant = keyCaller()
  const create = () => createWebhook(world.deps, merchant, { url: 'http://127.0.0.1:4999/', events: ['*'] })
  const made = await Promise.all(Array.from({ length: 99 }, create))
  const outcomes = await Promise.allSettled([create(), create(), create()])
  const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refused).toEqual(
    Array(2).fill(expect.objectContaining({ code: 'conflict', detail: 'a merchant has at most 100 webhooks' })),
  )
  await world.endpoint(0)
  await deleteWebhook(world.deps, merchant, made[0]!.id)
  expect(await create()).toMatchObject({ status: 'active' })
})
