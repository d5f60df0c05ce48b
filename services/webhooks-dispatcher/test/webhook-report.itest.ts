import { type Id, newId, reportOperations } from '@cobro/contracts'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { reportWebhooks } from '../src/reports/report-webhooks.ts'
import { dispatcherWorld, startReplica, type World } from './dispatcher-service.ts'

let world: World
let service: Awaited<ReturnType<typeof startReplica>>

beforeAll(async () => {
  world = await dispatcherWorld()
  service = await startReplica(world)
})
afterAll(async () => {
  await service.stop()
  await world.stop()
})

type Merchant = ReturnType<typeof keyCaller>
const run = <T>(sql: string, params: unknown[] = []) => world.db.read(em => em.execute<T[]>(sql, params))

/** Creates an endpoint that nothing is sent to. */
async function endpoint(merchant: Merchant): Promise<Id<'whk'>> {
  const input = { url: 'http://127.0.0.1:4999/', events: ['payment.refunded'] }
  return (await service.call(merchant, 'POST', '/api/webhooks', input)).body.id
}

/** Stores a delivery to an endpoint with an attempt at each of the times. */
async function attempts(merchant: Merchant, webhookId: string, made: { at: string; status?: number; ms?: number }[]) {
  const [delivery, event] = [newId('whd'), newId('evt')]
  await run(
    `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values (?, ?, '', '', '{}', now())`,
    [event, merchant.merchant_id],
  )
  await run(
    `insert into webhooks.deliveries (id, webhook_id, merchant_id, url, event_id, event, kind, status, created_at)
     values (?, ?, ?, '', ?, '', 'manual', 'failed', now())`,
    [delivery, webhookId, merchant.merchant_id, event],
  )
  const rows = made.map(({ at, status = 200, ms = 10 }, i) => ({
    number: i + 1,
    at,
    status_code: status,
    duration_ms: ms,
  }))
  await run(
    `insert into webhooks.attempts (delivery_id, number, at, status_code, duration_ms)
     select ?, * from json_to_recordset(?::json) as r (number integer, at timestamptz, status_code integer, duration_ms integer)`,
    [delivery, JSON.stringify(rows)],
  )
  return delivery
}

const report = async (caller: Parameters<typeof service.call>[0], query: Record<string, string> = {}) => {
  const { status, body } = await service.call(caller, 'GET', `/api/reports/webhooks?${new URLSearchParams(query)}`)
  expect([status, body]).toEqual([200, expect.anything()])
  return body.data
}
const isFolded = async () => (await run('select 1 from webhooks.attempt_hour_changes')).length === 0

test('a report has the attempts of each day in the time zone, before and after they are folded', async () => {
  const merchant = keyCaller()
  const id = await endpoint(merchant)
  await attempts(merchant, id, [
    { at: '2026-03-01T05:59:59Z' },
    { at: '2026-03-01T06:00:00Z', ms: 40 },
    { at: '2026-03-02T05:59:59Z', status: 500, ms: 40 },
    { at: '2026-03-03T06:00:00Z' },
  ])
  const query = { from: '2026-03-01', to: '2026-03-02', tz: 'America/Mexico_City' }
  const one = { attempts: 1, succeeded: 1, failed: 0, exhausted: 0 }
  const none = { attempts: 0, succeeded: 0, failed: 0, exhausted: 0, p50_ms: null, p95_ms: null }
  const totals = { attempts: 2, succeeded: 1, failed: 1, exhausted: 0, p50_ms: 45, p95_ms: 62 }
  const previous = { ...one, p50_ms: 11, p95_ms: 15 }
  const expected = {
    from: '2026-03-01T06:00:00.000Z',
    to: '2026-03-03T06:00:00.000Z',
    tz: 'America/Mexico_City',
    interval: 'day',
    rows: [
      {
        ...{ start: '2026-03-01T06:00:00.000Z', attempts: 2, succeeded: 1, failed: 1, exhausted: 0 },
        ...{ p50_ms: 45, p95_ms: 62 },
      },
      { start: '2026-03-02T06:00:00.000Z', ...none },
    ],
    ...{ totals, previous, compared: { to: '2026-03-03T06:00:00.000Z', totals, previous } },
    pending: 0,
    oldest_due_at: null,
  }
  expect(await report(merchant, query)).toMatchObject(expected)
  await waitFor(isFolded)
  const { as_of, ...folded } = await report(merchant, query)
  expect(folded).toEqual(expected)
  expect(Date.now() - Date.parse(as_of)).toBeLessThan(60_000)
  const hours = await report(merchant, { ...query, interval: 'hour' })
  expect(hours.rows).toHaveLength(48)
  expect(hours.rows[0]).toMatchObject({ start: '2026-03-01T06:00:00.000Z', ...one })
  expect(hours.totals).toEqual(expected.totals)
  const weeks = await report(merchant, { ...query, interval: 'week' })
  expect(weeks.rows.map((row: { attempts: number }) => row.attempts)).toEqual([2, 0])
})

test('a caller gets the attempts of its own merchants only, and an operator those of the merchants in its scope', async () => {
  const [mine, theirs] = [keyCaller(), keyCaller()]
  const [first, second, other] = [await endpoint(mine), await endpoint(mine), await endpoint(theirs)]
  const at = new Date().toISOString()
  await attempts(mine, first, [{ at }])
  await attempts(mine, second, [{ at }, { at, status: 410 }])
  await attempts(theirs, other, [{ at }, { at }, { at }, { at }])
  const sent = async (...asked: Parameters<typeof report>) => (await report(...asked)).totals.attempts
  const now = { from: `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}` }
  expect(await sent(mine)).toBe(3)
  expect(await sent(mine, { webhook_id: second })).toBe(2)
  expect(await sent(operatorCaller([mine.merchant_id]), now)).toBe(3)
  expect(await sent(operatorCaller([mine.merchant_id, theirs.merchant_id]), now)).toBe(7)
  expect(await sent(operatorCaller([]), now)).toBe(0)
  expect(await sent(operatorCaller('all'), { ...now, webhook_id: other })).toBe(4)
  expect(await sent(operatorCaller('all'), now)).toBeGreaterThanOrEqual(7)
  const refused = async (caller: Merchant | ReturnType<typeof operatorCaller>, id: string) =>
    (await service.call(caller, 'GET', `/api/reports/webhooks?webhook_id=${id}`)).status
  expect(await refused(mine, other)).toBe(403)
  expect(await refused(operatorCaller([mine.merchant_id]), other)).toBe(403)
  expect(await refused(mine, newId('whk'))).toBe(404)
})

test('percentiles are near the true ones', async () => {
  const merchant = keyCaller()
  const id = await endpoint(merchant)
  const at = new Date().toISOString()
  // Most requests take about 80 ms, and a tenth of them around a second.
  const durations = Array.from({ length: 1_000 }, (_, i) =>
    Math.round(i % 10 === 0 ? 700 + ((i * 7) % 600) : 80 * Math.exp(0.5 * Math.sin(i * 12.9898))),
  ).sort((a, b) => a - b)
  await attempts(
    merchant,
    id,
    durations.map(ms => ({ at, ms })),
  )
  const { totals } = await report(merchant)
  expect(totals.attempts).toBe(1_000)
  for (const [estimate, exact] of [
    [totals.p50_ms, durations[500]!],
    [totals.p95_ms, durations[950]!],
  ]) {
    expect(estimate / exact).toBeGreaterThan(0.8)
    expect(estimate / exact).toBeLessThan(1.25)
  }
})

test('a report counts the deliveries that wait, and says since when the most overdue one does', async () => {
  const [mine, theirs] = [keyCaller(), keyCaller()]
  const [first, second] = [await endpoint(mine), await endpoint(theirs)]
  const job = (webhookId: string, dueAt: string, leased = false) =>
    run('insert into webhooks.jobs (delivery_id, webhook_id, due_at, leased) values (?, ?, ?, ?)', [
      ...[newId('whd'), webhookId, dueAt, leased],
    ])
  const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const waiting = async (...asked: Parameters<typeof report>) => {
    const { pending, oldest_due_at } = await report(...asked)
    return { pending, oldest_due_at }
  }
  await job(first, hour(1))
  await job(second, hour(2), true)
  expect(await waiting(mine)).toEqual({ pending: 1, oldest_due_at: null })
  expect(await waiting(theirs)).toEqual({ pending: 0, oldest_due_at: null })
  // What is due is not claimed from a locked queue.
  await world.db.write(async tx => {
    await tx.execute('select from webhooks.lanes where webhook_id = ? for update', [first])
    const [oldest, later] = [hour(-2), hour(-1)]
    await job(first, later)
    await job(first, oldest)
    expect(await waiting(mine, { webhook_id: first })).toEqual({ pending: 3, oldest_due_at: oldest })
    expect(await waiting(mine)).toEqual({ pending: 3, oldest_due_at: oldest })
    await tx.execute('update webhooks.lanes set next_due = now() where webhook_id = ?', [first])
  })
  await run('delete from webhooks.jobs')
})

test('a report of many hours, endpoints and jobs reads them by their indexes', async () => {
  const merchant = keyCaller()
  const id = await endpoint(merchant)
  const scopes = `(values ('all'), (?), (?)) as own (scope) union all select 'x' || i from generate_series(1, 100) i`
  await run(
    `insert into webhooks.attempt_hours (scope, hour, attempts, took_4)
     select scope, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', 2, 2
     from (select scope from ${scopes}) s, generate_series(0, 999) n on conflict do nothing`,
    [merchant.merchant_id, id],
  )
  // Jobs of endpoints that do not exist would be cancelled.
  await run(
    `insert into webhooks.endpoints (id, merchant_id, url, events, status, secret, secret_masked, created_at, updated_at)
     select 'l' || 1000 * i, 'm', 'u', '{}', 'active', '', '', now(), now() from generate_series(1, 10) i`,
  )
  await run(
    `insert into webhooks.lanes (webhook_id, next_due) select 'l' || i, case when i % 1000 = 0 then now() + interval '1 hour' end
     from generate_series(1, 10000) i`,
  )
  await run(
    `insert into webhooks.jobs (delivery_id, webhook_id, due_at) select 'd' || i, 'l' || 1000 * (1 + i % 10), now() + interval '1 hour'
     from generate_series(1, 30000) i`,
  )
  for (const table of ['attempt_hours', 'lanes', 'jobs']) await world.asOwner(`analyze webhooks.${table}`)
  const plansOf = async (caller: Parameters<typeof service.call>[0], webhookId?: Id<'whk'>) => {
    const plans: string[] = []
    const query = reportOperations.webhooks.query.parse({ webhook_id: webhookId }) as Parameters<
      typeof reportWebhooks
    >[2]
    await world.db.read(em => {
      const execute = em.execute.bind(em)
      const explain = async (sql: string, params: unknown[]) => {
        if (/attempt_totals|webhooks.jobs/.test(sql))
          plans.push(JSON.stringify(await execute(`explain (format json) ${sql}`, params)))
        return execute(sql, params)
      }
      const db = { read: (work: (given: unknown) => unknown) => work(Object.assign(em, { execute: explain })) }
      return reportWebhooks({ db: db as never }, caller, query)
    })
    expect(plans).toHaveLength(2)
    return plans.join()
  }
  for (const [caller, ofOne] of [[merchant], [merchant, id], [operatorCaller('all')]] as const) {
    const plan = await plansOf(caller, ofOne)
    expect(plan).toContain('"attempt_hours_pkey"')
    expect(plan).toContain('"jobs_due"')
    // Changes and a merchant's endpoints are few.
    const scanned = [...plan.matchAll(/"Seq Scan"[^}]*?"Relation Name":"(\w+)"/g)].map(([, table]) => table)
    expect(scanned.filter(table => table !== 'attempt_hour_changes' && table !== 'endpoints')).toEqual([])
  }
  expect((await report(operatorCaller('all'))).pending).toBe(30_000)
})
