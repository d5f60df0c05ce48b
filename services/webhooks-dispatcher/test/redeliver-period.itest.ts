import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { smallestOf, waitFor } from '@cobro/testing'
import { releaseHeld } from '../src/delivery-queue/release-held.ts'
import { redeliverPeriod } from '../src/webhook-deliveries/redeliver-period.ts'
import { updateWebhook } from '../src/webhooks/update-webhook.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())

type Endpoint = Awaited<ReturnType<QueueWorld['endpoint']>>
const period = { from: new Date('2026-05-01T00:00:00Z'), to: new Date('2026-05-02T00:00:00Z') }

/** Stores deliveries that have ended, one each minute of the period's day. Returns their ids, the oldest first. */
async function ended({ id, merchant }: Pick<Endpoint, 'id' | 'merchant'>, number: number, more: object = {}) {
  const row = { status: 'exhausted', event: 'payment.approved', attempt_count: 5, deleted_at: null, ...more }
  const { status, event, attempt_count, deleted_at } = row
  const eventId = newId('evt')
  await world.run(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values (?, ?, ?, '{}', '{}', now())`,
    [eventId, merchant.merchant_id, event],
  )
  const start = newId('whd').slice(0, 20)
  const rows = await world.run<{ id: string }>(
    `insert into webhooks.deliveries
       (id, webhook_id, merchant_id, url, event_id, event, kind, status, attempt_count, created_at, deleted_at)
     select ? || lpad(i::text, 10, '0'), ?, ?, 'http://old.example/', ?, ?, 'manual', ?, ?,
       '2026-05-01'::timestamptz + i * interval '60 seconds' / ceil(?::float8 / 1000), ?::timestamptz
     from generate_series(0, ?::integer - 1) i returning id`,
    [start, id, merchant.merchant_id, eventId, event, status, attempt_count, number, deleted_at, number],
  )
  return rows.map(one => one.id)
}

const redeliver = ({ id, merchant }: Endpoint, more: object = {}) =>
  redeliverPeriod(world.deps, merchant, id, { ...period, status: 'exhausted', dry_run: false, ...more })
const heldOf = (id: string) =>
  world.run<{ delivery_id: string }>(
    `select delivery_id from webhooks.jobs where webhook_id = ? and due_at = 'infinity' order by 1`,
    [id],
  )

test('the deliveries that match are sent once more to the current URL, each with one event and one for all', async () => {
  const endpoint = await world.endpoint(0)
  const wanted = await ended(endpoint, 3)
  await ended(endpoint, 1, { status: 'failed' })
  await ended(endpoint, 1, { deleted_at: new Date().toISOString() })
  await ended(endpoint, 1, { attempt_count: 100 })
  await ended({ ...endpoint, id: newId('whk') }, 1)
  expect(await redeliver(endpoint, { dry_run: true })).toEqual({ matched: 4, created: 0 })
  expect(await world.run('select 1 from webhooks.jobs')).toEqual([])
  expect(await redeliver(endpoint)).toEqual({ matched: 4, created: 3 })
  const pending = await world.run('select id, url from webhooks.deliveries where status = ? order by id', ['pending'])
  expect(pending).toEqual(wanted.map(id => ({ id, url: endpoint.url })))
  const events = (await world.eventsAbout(endpoint.id)).filter(({ name }) => name.endsWith('.redelivered'))
  expect(events.map(({ name, target_id }) => `${name} ${target_id}`).sort()).toEqual(
    [...wanted.map(id => `webhook.redelivered ${id}`), `webhook_endpoint.redelivered ${endpoint.id}`].sort(),
  )
  expect(events.at(-1).data).toEqual({ id: endpoint.id, redelivered_deliveries: 3 })
  expect(await redeliver(endpoint)).toEqual({ matched: 1, created: 0 })
  await releaseHeld(world.db)
  const sent = await world.take()
  expect(sent.map(({ delivery_id }) => delivery_id).sort()).toEqual(wanted)
  expect(sent[0]).toMatchObject({ attempt: 6, one_shot_after: 5, url: endpoint.url })
  await Promise.all(sent.map(delivery => world.record(delivery, 200, { kind: 'succeeded' })))
})

test('status, event and period select the deliveries; the start and the end are inclusive', async () => {
  const endpoint = await world.endpoint(0)
  await ended(endpoint, 3, { status: 'failed', event: 'payment.refunded' })
  await ended(endpoint, 2, { status: 'failed' })
  const counted = async (more: object) =>
    (await redeliver(endpoint, { dry_run: true, status: 'failed', ...more })).matched
  expect(await counted({})).toBe(5)
  expect(await counted({ event: 'payment.refunded' })).toBe(3)
  expect(await counted({ status: 'cancelled' })).toBe(0)
  const at = (minutes: number) => new Date(period.from.getTime() + minutes * 60_000)
  expect(await counted({ event: 'payment.refunded', from: at(1), to: at(2) })).toBe(2)
})

test('redeliveries wait behind new events, ten at a time at most', async () => {
  const endpoint = await world.endpoint(0)
  const old = await ended(endpoint, 35)
  expect(await redeliver(endpoint)).toEqual({ matched: 35, created: 35 })
  expect(await world.take()).toEqual([])
  expect(await releaseHeld(world.db)).toEqual([endpoint.id])
  expect(await releaseHeld(world.db)).toEqual([])
  expect((await heldOf(endpoint.id)).map(row => row.delivery_id)).toEqual(old.slice(10))
  for (let i = 0; i < 12; i++) await world.event(endpoint.merchant)
  const rounds: number[] = []
  for (let taken = await world.take(); taken.length > 0; taken = await world.take()) {
    // Nothing more is released while these are in flight, nor while new events are due.
    expect(await releaseHeld(world.db)).toEqual([])
    rounds.push(taken.filter(({ one_shot_after }) => one_shot_after === null).length)
    for (const delivery of taken) await world.record(delivery, 200, { kind: 'succeeded' })
    await world.run('update webhooks.lanes set next_due = now() where webhook_id = ?', [endpoint.id])
    await releaseHeld(world.db)
  }
  expect(rounds).toEqual([0, 10, 2, 0, 0])
  expect(new Set(await world.statusesOf(endpoint.id))).toEqual(new Set(['succeeded']))
})

test('a call while another one redelivers to the same webhook is a conflict, and sends nothing twice', async () => {
  const endpoint = await world.endpoint(0)
  await ended(endpoint, 50)
  const results = await Promise.allSettled([redeliver(endpoint), redeliver(endpoint), redeliver(endpoint)])
  const made = results.flatMap(result => (result.status === 'fulfilled' ? result.value.created : []))
  expect(made.reduce((sum, created) => sum + created, 0)).toBe(50)
  for (const result of results) if (result.status === 'rejected') expect(result.reason.code).toBe('conflict')
  expect(await heldOf(endpoint.id)).toHaveLength(50)
  await world.run('delete from webhooks.jobs')
})

test('a disabled webhook is a conflict; one that is disabled later cancels what is held', async () => {
  const endpoint = await world.endpoint(0)
  const [id] = await ended(endpoint, 1)
  await redeliver(endpoint)
  await updateWebhook(world.deps, endpoint.merchant, endpoint.id, { status: 'disabled' })
  expect(await world.statusesOf(endpoint.id)).toEqual(['cancelled'])
  expect((await world.eventsAbout(id!)).map(({ name }) => name)).toEqual(['webhook.redelivered', 'webhook.cancelled'])
  await expect(redeliver(endpoint, { status: 'cancelled' })).rejects.toMatchObject({ code: 'conflict' })
})

test("another merchant's webhook is forbidden, and an unknown one is not found", async () => {
  const endpoint = await world.endpoint(0)
  await expect(redeliver({ ...endpoint, merchant: keyCaller() })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(redeliver({ ...endpoint, id: newId('whk') })).rejects.toMatchObject({ code: 'not_found' })
})

test('100,000 deliveries are redelivered at once, and more than that none', async () => {
  const endpoint = await world.endpoint(0)
  await ended(endpoint, 100_000)
  await world.asOwner('analyze webhooks.deliveries')
  expect(await redeliver(endpoint)).toEqual({ matched: 100_000, created: 100_000 })
  const events = (await world.eventsAbout(endpoint.id)).filter(({ name }) => name.endsWith('.redelivered'))
  expect(events.map(({ data }) => data.redelivered_deliveries)).toEqual([100_000])
  await world.asOwner('analyze webhooks.jobs')
  const release = async () => {
    await world.run(`update webhooks.jobs set due_at = 'infinity' where webhook_id = ? and due_at <= now()`, [
      endpoint.id,
    ])
    await world.run('update webhooks.lanes set next_due = null where webhook_id = ?', [endpoint.id])
    const startedAt = performance.now()
    expect(await releaseHeld(world.db)).toEqual([endpoint.id])
    return performance.now() - startedAt
  }
  expect(await smallestOf(1_000, release)).toBeLessThan(1_000)
  await ended(endpoint, 100_001, { status: 'failed' })
  await expect(redeliver(endpoint, { status: 'failed' })).rejects.toMatchObject({ code: 'conflict' })
  await waitFor(async () => (await heldOf(endpoint.id)).length === 99_990)
}, 120_000)
