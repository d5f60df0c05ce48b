import { newId } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { migratedDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-webhooks.ts'
import type { ClaimedDelivery } from '../src/delivery-queue/claim-deliveries.ts'
import { ignoreFailpoints } from '../src/delivery-queue/failpoints.ts'
import { foldAttemptHours } from '../src/reports/fold-attempt-hours.ts'
import { latencyColumns } from '../src/reports/latency-classes.ts'
import { recordAttempts } from '../src/sending/record-attempts.ts'
import type { AttemptOutcome } from '../src/sending/retry-policy.ts'
import { entities } from '../src/start-webhooks-dispatcher.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())

const counts = ['attempts', 'succeeded', 'failed', ...latencyColumns]
const sums = counts.map(name => `sum(${name})::integer as ${name}`)
const kept = `select scope, hour, ${sums} from webhooks.attempt_totals group by 1, 2 having sum(attempts) > 0 order by 1, 2`
/** The same, from the attempts. The classes begin at powers of two, the first at 0. */
const recounted = `
  select scope collate "C" as scope, date_trunc('hour', at, 'UTC') as hour, count(*)::integer as attempts,
    (count(*) filter (where status_code >= 200 and status_code < 300))::integer as succeeded,
    (count(*) filter (where status_code is null or status_code < 200 or status_code >= 300))::integer as failed,
    ${latencyColumns.map((name, place) => {
      const below = place === 15 ? '' : `and duration_ms < ${2 ** (place + 1)}`
      return `(count(*) filter (where duration_ms >= ${place === 0 ? 0 : 2 ** place} ${below}))::integer as ${name}`
    })}
  from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id
  cross join lateral (values ('all'), (d.merchant_id), (d.webhook_id)) s (scope)
  group by 1, 2 order by 1, 2`
const exhaustedKept = `
  select scope, sum(exhausted)::integer as number from webhooks.attempt_totals group by 1 having sum(exhausted) > 0 order by 1`
const exhaustedRecounted = `
  select scope collate "C" as scope, count(*)::integer as number from webhooks.deliveries
  cross join lateral (values ('all'), (merchant_id), (webhook_id)) s (scope)
  where status = 'exhausted' group by 1 order by 1`

/** Compares the counts with the rows. Returns the number of attempts. */
async function expectExact({ run }: Pick<QueueWorld, 'run'>): Promise<number> {
  const rows = await run<{ scope: string; attempts: number }>(kept)
  expect(rows).toEqual(await run(recounted))
  expect(await run(exhaustedKept)).toEqual(await run(exhaustedRecounted))
  return rows.filter(({ scope }) => scope === 'all').reduce((sum, row) => sum + row.attempts, 0)
}

const outcomes: [number | null, AttemptOutcome][] = [
  [200, { kind: 'succeeded' }],
  [204, { kind: 'succeeded' }],
  [500, { kind: 'retry', delayMs: 60_000 }],
  [null, { kind: 'exhausted' }],
  [302, { kind: 'failed' }],
  [410, { kind: 'gone' }],
]
const durations = [0, 1, 2, 3, 4, 15, 16, 1_023, 1_024, 10_003, 32_767, 32_768, 60_000]

function attemptOf(delivery: ClaimedDelivery, place: number) {
  const [status_code, outcome] = outcomes[place % outcomes.length]!
  const response = { error: status_code === null ? 'timeout' : null, response_body: '', retry_after: null }
  return {
    delivery,
    sentAt: new Date(Date.now() - (place % 3) * 3_600_000),
    response: { ...response, status_code, duration_ms: durations[place % durations.length]! },
    outcome,
    trace: {},
  }
}

test('the counts are exact while several replicas record attempts of all outcomes and fold', async () => {
  const endpoints = []
  for (let i = 0; i < 6; i++) endpoints.push(await world.endpoint(10))
  const claimed = await world.take({ maxPerEndpoint: 10 })
  expect(claimed).toHaveLength(60)
  const recorded = { done: false }
  const fold = async () => {
    while (!recorded.done) await foldAttemptHours(world.db)
  }
  const folds = [fold(), fold()]
  // Endpoints with a 410 cancel their queue, so that each delivery is recorded as one of the claim before.
  const batches = Array.from({ length: 20 }, (_, i) => claimed.slice(3 * i, 3 * i + 3))
  const results = await Promise.all(
    batches.map((batch, i) =>
      recordAttempts(
        { db: world.db, failpoint: ignoreFailpoints },
        batch.map((delivery, j) => attemptOf(delivery, 3 * i + j)),
      ),
    ),
  )
  expect(new Set(results.flat())).toEqual(new Set([true]))
  expect(await expectExact(world)).toBe(60)
  recorded.done = true
  await Promise.all(folds)
  await foldAttemptHours(world.db)
  expect(await world.run('select 1 from webhooks.attempt_hour_changes')).toEqual([])
  expect(await expectExact(world)).toBe(60)
})

test('an attempt whose sender died counts without a duration, and the delivery that it was the last of as exhausted', async () => {
  const { id } = await world.endpoint(1)
  const [delivery] = (await world.take()).filter(({ webhook_id }) => webhook_id === id)
  await world.run('update webhooks.jobs set due_at = now(), attempt = 5 where delivery_id = ?', [delivery!.delivery_id])
  await world.run(`update webhooks.lanes set next_due = now() where webhook_id = ?`, [id])
  await world.take()
  expect(await world.statusesOf(id)).toEqual(['exhausted'])
  const [row] = await world.run<Record<string, number>>(
    `select ${sums}, sum(exhausted)::integer as exhausted from webhooks.attempt_totals where scope = ?`,
    [id],
  )
  expect(row).toMatchObject({ attempts: 1, succeeded: 0, failed: 1, exhausted: 1 })
  expect(latencyColumns.map(name => row![name])).toEqual(latencyColumns.map(() => 0))
  await expectExact(world)
})

test('attempts of a batch that is rolled back are not counted', async () => {
  const { id } = await world.endpoint(1)
  const batch = (await world.take()).filter(({ webhook_id }) => webhook_id === id)
  const failpoint = () => Promise.reject(new Error('rolled back'))
  const given = batch.map(delivery => attemptOf(delivery, 3))
  await expect(recordAttempts({ db: world.db, failpoint }, given)).rejects.toThrow('rolled back')
  expect(await world.run('select 1 from webhooks.attempt_totals where scope = ?', [id])).toEqual([])
})

test('batches that count attempts of the same endpoint do not wait for each other or for a fold', async () => {
  const { id } = await world.endpoint(2)
  const [first, second] = (await world.take()).filter(({ webhook_id }) => webhook_id === id)
  // The endpoint's row is written at most once a second while nothing changes.
  await world.run(`update webhooks.endpoints set last_delivery_status = 'succeeded', last_delivery_at = now()`)
  const insert = `insert into webhooks.attempts (delivery_id, number, at, status_code, duration_ms) values (?, 9, now(), 200, 5)`
  await world.db.write(async tx => {
    await tx.execute(insert, [first!.delivery_id])
    await world.run(insert, [second!.delivery_id])
    await foldAttemptHours(world.db)
    expect(await world.waiting()).toBe(0)
  })
  await expectExact(world)
})

test('attempts from before the migration are counted once, also if it runs again', async () => {
  const before = migrations.findIndex(({ name }) => name === '0013-attempt-hours')
  const database = await migratedDatabase({ schema: 'webhooks', migrations: migrations.slice(0, before), migrate })
  const db = openDatabase({ url: database.url('webhooks'), schema: 'webhooks', entities })
  const run = <T>(sql: string, params: unknown[] = []) => db.read(em => em.execute<T[]>(sql, params))
  try {
    await run(
      `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values ('e', 'm', '', '', '{}', now())`,
    )
    const insertDeliveries = `
      insert into webhooks.deliveries (id, webhook_id, merchant_id, url, event_id, event, kind, status, attempt_count, created_at)
      select ? || lpad(i::text, 10, '0'), 'w' || i % 7, 'm' || i % 3, '', 'e', '', 'manual',
        (array['succeeded', 'failed', 'exhausted'])[1 + i % 3], 1 + i % 2, now() from generate_series(1, ?::integer) i`
    const insertAttempts = `
      insert into webhooks.attempts (delivery_id, number, at, status_code, duration_ms)
      select id, n, now() - (hashtext(id || n) % 50) * interval '1 hour', case when hashtext(id) % 2 = 0 then 200 end, abs(hashtext(id)) % 40000
      from webhooks.deliveries, generate_series(1, attempt_count) n where id like ? || '%'`
    const old = newId('whd').slice(0, 14)
    await run(insertDeliveries, [old, 12_000])
    await run(insertAttempts, [old])
    await migrate({ url: database.migratorUrl, schema: 'webhooks', migrations: migrations.slice(0, before + 1) })
    // Sent by the release before, between the two migrations; earlier ones of exhausted deliveries were not counted by a trigger.
    const late = `${newId('whd').slice(0, 12)}zz`
    await run(insertDeliveries, [late, 30])
    await run(`update webhooks.deliveries set status = 'delivering' where id like ? || '%'`, [late])
    await run(insertAttempts, [late])
    await run(`update webhooks.deliveries set status = 'exhausted' where id like ? || '%'`, [late])
    for (let times = 1; times <= 2; times++) {
      await migrate({ url: database.migratorUrl, schema: 'webhooks', migrations })
      expect(await expectExact({ run })).toBe(18_045)
      await database.query(`delete from webhooks.migrations where name = '0014-past-attempt-hours'`)
    }
  } finally {
    await db.close()
    await database.drop()
  }
})
