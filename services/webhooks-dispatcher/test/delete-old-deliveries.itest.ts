import { newId } from '@cobro/contracts'
import { type Database, migrate, migration, openDatabase } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { type TestDatabase, testDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-webhooks.ts'
import { entities } from '../src/start-webhooks-dispatcher.ts'
import { deleteOldDeliveries } from '../src/webhook-deliveries/delete-old-deliveries.ts'

let database: TestDatabase
let db: Database

const now = new Date()
/** The 15th of the month a number of months ago, in UTC. */
const monthsAgo = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15))
const partitionOf = (months: number) => `attempts_${monthsAgo(months).toISOString().slice(0, 7).replace('-', '_')}`
/** Partitions of the months since the first migration. */
const oldPartitions = [1, 2, 3, 4, 5].map(months => {
  const from = (ago: number) => `first_delivery_id('${monthsAgo(ago).toISOString().slice(0, 7)}-01T00:00:00Z')`
  return `do $$ begin execute format('create table ${partitionOf(months)} partition of attempts for values from (%L) to (%L)',
    ${from(months)}, ${from(months - 1)}); end $$;`
})

beforeEach(async () => {
  database = await testDatabase({ schemas: ['webhooks'] })
  const history = [...migrations, migration('9999-old-partitions', oldPartitions.join('\n'))]
  await migrate({ url: database.migratorUrl, schema: 'webhooks', migrations: history })
  db = openDatabase({ url: database.url('webhooks'), schema: 'webhooks', entities })
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

const run = <T>(sql: string, params: unknown[] = []) => db.read(em => em.execute<T[]>(sql, params))
const idsOf = async (table: string) =>
  (await run<{ id: string }>(`select id from webhooks.${table} order by id`)).map(row => row.id)
const partitions = async () =>
  (
    await run<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'webhooks.attempts'::regclass order by 1`,
    )
  ).map(row => row.name)

async function event(at: Date, merchantId = keyCaller().merchant_id) {
  const id = newId('evt', at.getTime())
  await run(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values (?, ?, 'payment.approved', '{}', '{}', ?)`,
    [id, merchantId, at],
  )
  return id
}
async function delivery(at: Date, status = 'succeeded', eventId?: string) {
  const id = newId('whd', at.getTime())
  await run(
    `insert into webhooks.deliveries (id, webhook_id, merchant_id, event_id, event, url, kind, status, created_at)
     values (?, ?, ?, ?, 'payment.approved', 'http://x.mx', 'manual', ?, ?)`,
    [id, newId('whk'), keyCaller().merchant_id, eventId ?? (await event(at)), status, at],
  )
  await run(`insert into webhooks.attempts (delivery_id, number, at) values (?, 1, ?)`, [id, at])
  return id
}

test('delete-old deletes deliveries, events and attempts older than the months to keep, and nothing else', async () => {
  const kept = [await delivery(monthsAgo(2)), await delivery(monthsAgo(1)), await delivery(now)].sort()
  for (const months of [5, 4, 3]) await delivery(monthsAgo(months))
  const lonely = await event(monthsAgo(2))
  await event(monthsAgo(3))
  expect(await deleteOldDeliveries({ db }, 2)).toEqual({
    deliveries: 3,
    events: 4,
    endpoint_queues: 0,
    partitions: [partitionOf(5), partitionOf(4), partitionOf(3)],
  })
  expect(await idsOf('deliveries')).toEqual(kept)
  expect(await idsOf('events')).toHaveLength(4)
  expect(await idsOf('events')).toContain(lonely)
  const left = await run<{ delivery_id: string }>('select delivery_id from webhooks.attempts order by 1')
  expect(left.map(row => row.delivery_id)).toEqual(kept)
  expect((await partitions()).slice(0, 3).map(name => name.replace('webhooks.', ''))).toEqual([
    partitionOf(2),
    partitionOf(1),
    partitionOf(0),
  ])
  expect(await deleteOldDeliveries({ db }, 2)).toEqual({ deliveries: 0, events: 0, endpoint_queues: 0, partitions: [] })
})

test('delete-old keeps the first millisecond of the oldest month to keep and deletes the one before', async () => {
  const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1)
  const kept = await delivery(new Date(first))
  await delivery(new Date(first - 1))
  expect(await deleteOldDeliveries({ db }, 2)).toMatchObject({ deliveries: 1, events: 1 })
  expect(await idsOf('deliveries')).toEqual([kept])
})

test('an old delivery that is pending again keeps its month of attempts and its event', async () => {
  const waiting = await delivery(monthsAgo(4), 'pending')
  await delivery(monthsAgo(5))
  expect(await deleteOldDeliveries({ db }, 2)).toEqual({
    deliveries: 1,
    events: 1,
    endpoint_queues: 0,
    partitions: [partitionOf(5), partitionOf(3)],
  })
  expect(await idsOf('deliveries')).toEqual([waiting])
  await run(`insert into webhooks.attempts (delivery_id, number, at) values (?, 2, now())`, [waiting])
  await run(`update webhooks.deliveries set status = 'succeeded'`)
  expect(await deleteOldDeliveries({ db }, 2)).toEqual({
    deliveries: 1,
    events: 1,
    endpoint_queues: 0,
    partitions: [partitionOf(4)],
  })
})

test('an old event with a recent delivery is not deleted', async () => {
  const old = await event(monthsAgo(4))
  const recent = await delivery(now, 'succeeded', old)
  await delivery(monthsAgo(4), 'exhausted', old)
  expect(await deleteOldDeliveries({ db }, 2)).toMatchObject({ deliveries: 1, events: 0 })
  expect([await idsOf('deliveries'), await idsOf('events')]).toEqual([[recent], [old]])
})

test("deleted events raise the floor of their merchant's feed, and never lower it", async () => {
  const floor = async () => (await run<{ floor: number }>('select floor::integer from webhooks.feed_heads'))[0]?.floor
  const { merchant_id } = keyCaller()
  const kept = await event(monthsAgo(4), merchant_id)
  await delivery(now, 'succeeded', kept)
  for (const months of [4, 3, 1]) await event(monthsAgo(months), merchant_id)
  await deleteOldDeliveries({ db }, 2)
  expect([await idsOf('events'), await floor()]).toEqual([[kept, expect.any(String)], 4])
  await run('delete from webhooks.deliveries')
  await deleteOldDeliveries({ db }, 2)
  expect([(await idsOf('events')).length, await floor()]).toEqual([1, 4])
})

test('two concurrent delete-old runs delete more than a batch', async () => {
  await run(
    `with event as (
       insert into webhooks.events (id, merchant_id, event, body, trace, created_at, sequence)
       select webhooks.first_delivery_id(?::timestamptz) || i, 'm', 'payment.approved', '{}', '{}', ?::timestamptz, i
       from generate_series(1, 2500) i returning id
     )
     insert into webhooks.deliveries (id, webhook_id, merchant_id, event_id, event, url, kind, status, created_at)
     select id, 'w', 'm', id, 'payment.approved', 'u', 'auto', 'succeeded', ?::timestamptz from event`,
    [monthsAgo(4), monthsAgo(4), monthsAgo(4)],
  )
  const both = await Promise.all([deleteOldDeliveries({ db }, 2), deleteOldDeliveries({ db }, 2)])
  expect(both[0].deliveries + both[1].deliveries).toBe(2_500)
  // A further run deletes rows that one of the two skipped because the other had locked them.
  await deleteOldDeliveries({ db }, 2)
  expect([await idsOf('deliveries'), await idsOf('events')]).toEqual([[], []])
})

test('queues of deleted endpoints are deleted an hour later, unless they contain deliveries', async () => {
  const queue = async (name: string, minutesAgo: number) => {
    const servedAt = new Date(Date.now() - minutesAgo * 60_000)
    await run('insert into webhooks.lanes (webhook_id, served_at) values (?, ?)', [name, servedAt])
  }
  await queue('idle', 61)
  await queue('just deleted', 59)
  await queue('not empty', 61)
  await run(`insert into webhooks.jobs (delivery_id, webhook_id, due_at) values ('whd_1', 'not empty', now())`)
  await queue('of an endpoint', 61)
  await run(
    `insert into webhooks.endpoints (id, merchant_id, url, events, status, secret, secret_masked, created_at, updated_at)
     values ('of an endpoint', 'm', 'u', '{}', 'disabled', '', '', now(), now())`,
  )
  expect(await deleteOldDeliveries({ db }, 2)).toMatchObject({ endpoint_queues: 1 })
  const left = await run<{ webhook_id: string }>('select webhook_id from webhooks.lanes order by 1')
  expect(left.map(row => row.webhook_id)).toEqual(['just deleted', 'not empty', 'of an endpoint'])
})

test('the role of the service cannot drop a table, nor a partition of a month that is not over', async () => {
  await expect(run(`drop table webhooks.${partitionOf(3)}`)).rejects.toThrow(/must be owner/)
  await run("select webhooks.drop_attempt_partitions(now() + interval '10 years')")
  const ahead = (await partitions()).map(name => name.replace('webhooks.', ''))
  expect(ahead).toContain(partitionOf(0))
})
