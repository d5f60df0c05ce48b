import { keyCaller } from '@cobro/http/test-identity'
import type { ClaimLimits, Job } from '../src/sending/claim-jobs.ts'
import { concludeAttempts, type EndedAttempt } from '../src/sending/conclude-attempts.ts'
import { refreshLanes } from '../src/sending/refresh-lanes.ts'
import { carryOn } from '../src/steps.ts'
import { redeliver } from '../src/webhook-deliveries/redeliver.ts'
import { eventOf } from './dispatcher-service.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())
beforeEach(() => world.run('with jobs as (delete from webhooks.jobs) delete from webhooks.lanes'))

const answered = { status_code: 200, error: null, response_body: '', retry_after: null, duration_ms: 5 }
const run: QueueWorld['run'] = (sql, params) => world.run(sql, params)
const take = (limits?: Partial<ClaimLimits>) => world.take(limits)
/** An endpoint with a number of deliveries that are due. */
const endpointWith = async (due: number) => (await world.endpoint(due)).id
const endLeases = async () => {
  await run(`update webhooks.jobs set due_at = now() - interval '1 second' where leased`)
  await refreshLanes(world.db)
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
const ended = (job: Job): EndedAttempt => ({
  ...{ job, at: new Date(), answer: answered, outcome: { kind: 'succeeded' }, trace: {} },
})
const concludeAll = (batch: EndedAttempt[]) => concludeAttempts({ db: world.db, atStep: carryOn }, batch)
const conclude = async (job: Job, change: Partial<EndedAttempt> = {}) =>
  (await concludeAll([{ ...ended(job), ...change }]))[0]

test('of one endpoint ten are leased, however many replicas claim at once', async () => {
  const id = await endpointWith(25)
  const claims = await Promise.all(Array.from({ length: 8 }, () => take({ woken: [id] })))
  expect(claims.flat()).toHaveLength(10)
  expect(await take({ woken: [id] })).toHaveLength(0)
  expect(await conclude(claims.flat()[0]!)).toBe(true)
  expect(await take({ woken: [id] })).toHaveLength(1)
})

test('endpoints take turns, whatever their backlogs', async () => {
  const busy = await endpointWith(12)
  const quiet = await endpointWith(2)
  const turns: string[] = []
  for (let i = 0; i < 4; i++) for (const job of await take({ lanes: 1, quantum: 1 })) turns.push(job.webhook_id)
  expect([...turns].sort()).toEqual([busy, busy, quiet, quiet].sort())
  expect(turns[0]).not.toBe(turns[1])
})

test('the oldest come first', async () => {
  const id = await endpointWith(3)
  const [first] = await run<{ delivery_id: string }>(
    'select delivery_id from webhooks.jobs where webhook_id = ? order by due_at limit 1',
    [id],
  )
  expect((await take({ quantum: 1 })).map(job => job.delivery_id)).toEqual([first!.delivery_id])
})

test('a lease that has passed on records nothing', async () => {
  const id = await endpointWith(1)
  const [stale] = await take()
  expect(await take({ woken: [id] })).toEqual([])
  await endLeases()
  const [job] = await take()
  expect(job).toMatchObject({ delivery_id: stale!.delivery_id, attempt: 2, abandoned: true })
  expect(await conclude(stale!)).toBe(false)
  expect(await deliveryOf(id)).toMatchObject({ status: 'delivering', attempt_count: 2 })
  expect(await attemptsOf(stale!.delivery_id)).toEqual([{ number: 1, status_code: null, error: 'unknown' }])
  expect(await conclude(job!)).toBe(true)
  expect(await deliveryOf(id)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
  expect(await conclude(job!)).toBe(false)
})

test('of attempts that end together each has its own outcome, and one whose lease has passed on changes nothing', async () => {
  const id = await endpointWith(4)
  const [stale] = await take({ quantum: 1 })
  await endLeases()
  const [again, good, bad] = await take()
  expect(again!.delivery_id).toBe(stale!.delivery_id)
  const retry = { answer: { ...answered, status_code: 500 }, outcome: { kind: 'retry', waitMs: 30_000 } } as const
  const batch = [ended(stale!), ended(good!), { ...ended(bad!), ...retry }]
  expect(await concludeAll(batch)).toEqual([false, true, true])
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

test('senders that die at every attempt use a delivery up', async () => {
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
  const told = await run<{ name: string; body: Buffer }>(`select name, body from webhooks.outbox order by id`)
  const ours = told.filter(event => JSON.parse(event.body.toString()).target_id === delivery.id)
  expect(ours.map(event => event.name)).toEqual([...Array(5).fill('webhook.attempt_failed'), 'webhook.exhausted'])
})

test('what was asked for by hand is sent again after a lease that came to nothing, five times at the most', async () => {
  const id = await endpointWith(1)
  const [first] = await take()
  await conclude(first!)
  const caller = { ...keyCaller(), merchant_id: first!.merchant_id }
  await redeliver({ db: world.db, sender: { wake: () => undefined } }, caller, first!.delivery_id)
  const [job] = await take()
  expect(job).toMatchObject({ attempt: 2, one_shot_after: 1, abandoned: false })
  for (let attempt = 3; attempt <= 6; attempt++) {
    await endLeases()
    expect(await take()).toMatchObject([{ attempt, abandoned: true }])
  }
  expect(await conclude(job!)).toBe(false)
  await endLeases()
  expect(await take()).toEqual([])
  expect(await deliveryOf(id)).toMatchObject({ status: 'failed', attempt_count: 6 })
  const told = await run<{ name: string }>(`select name from webhooks.outbox order by id desc limit 1`)
  expect(told).toEqual([{ name: 'webhook.attempt_failed' }])
})

test.each([
  'delete from webhooks.endpoints where id = ?',
  `update webhooks.endpoints set status = 'disabled' where id = ?`,
])('what was fanned out while its endpoint went away is cancelled, not sent: %s', async sql => {
  const id = await endpointWith(1)
  await run(sql, [id])
  expect(await take()).toEqual([])
  expect(await deliveryOf(id)).toMatchObject({ status: 'cancelled', attempt_count: 0 })
  expect(await run('select 1 from webhooks.jobs where webhook_id = ?', [id])).toEqual([])
})

test.each([
  'delete from webhooks.endpoints where id = ?',
  `update webhooks.endpoints set status = 'disabled' where id = ?`,
])('what failed while its endpoint went away is cancelled, not kept for its next attempt: %s', async sql => {
  const id = await endpointWith(1)
  const [job] = await take()
  await run(sql, [id])
  const failed = { ...answered, status_code: 500 }
  expect(await conclude(job!, { answer: failed, outcome: { kind: 'retry', waitMs: 3_600_000 } })).toBe(true)
  expect(await deliveryOf(id)).toMatchObject({ status: 'cancelled', attempt_count: 1, next_attempt_at: null })
  expect(await attemptsOf(job!.delivery_id)).toEqual([{ number: 1, status_code: 500, error: null }])
  expect(await run('select 1 from webhooks.jobs where webhook_id = ?', [id])).toEqual([])
})

test('a lane that missed its job is put right', async () => {
  const id = await endpointWith(1)
  await run('update webhooks.lanes set next_due = null where webhook_id = ?', [id])
  expect(await take()).toEqual([])
  await refreshLanes(world.db)
  expect(await take()).toHaveLength(1)
})

test('an event that is fanned out twice makes no second delivery', async () => {
  const { id, merchant } = await world.endpoint(0)
  const event = eventOf(merchant.merchant_id)
  for (let i = 0; i < 2; i++) await world.fanOut(event)
  expect(await run('select 1 from webhooks.deliveries where webhook_id = ?', [id])).toHaveLength(1)
})
