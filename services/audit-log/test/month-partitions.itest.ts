import { newId } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { type TestDatabase, testDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-audit-log.ts'
import { eventIdRange } from '../src/events/event-id-range.ts'

let database: TestDatabase
let service: ReturnType<typeof openDatabase>
let admin: ReturnType<typeof openDatabase>

beforeAll(async () => {
  database = await testDatabase({ schemas: ['audit'] })
  await migrate({ url: database.migratorUrl, schema: 'audit', migrations })
  service = openDatabase({ url: database.url('audit'), schema: 'audit', entities: [] })
  admin = openDatabase({ url: database.adminUrl, schema: 'audit', entities: [] })
})
afterAll(async () => {
  await service.close()
  await admin.close()
  await database.drop()
})

const sql = <T extends object>(text: string) => admin.read(em => em.execute<T[]>(text))
const make = async () =>
  (await service.write(tx => tx.execute<{ made: number }[]>('select audit.make_partitions() as made')))[0]?.made
const partitions = async () =>
  (
    await sql<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit.events'::regclass order by 1`,
    )
  ).map(row => row.name)
const monthName = (offset: number) => {
  const now = new Date()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset))
  return { name: `audit.events_${month.toISOString().slice(0, 7).replace('-', '_')}`, startMs: month.getTime() }
}
const expected = [-1, 0, 1, 2, 3].map(offset => monthName(offset).name)
const insert = (id: string) =>
  service.write(tx =>
    tx.execute(
      `insert into audit.events (id, seq, content, action, category, actor, occurred_at) values (?, 1, '', 'x', 'api', '{}', now())`,
      [id],
    ),
  )

test('the migration creates partitions from last month to three months ahead', async () => {
  expect(await partitions()).toEqual(expected)
  expect(await make()).toBe(0)
})

test('an event is stored in the partition of the month in its id, to the millisecond', async () => {
  const { name, startMs } = monthName(1)
  const last = newId('evt', startMs - 1)
  const first = newId('evt', startMs)
  await insert(last)
  await insert(first)
  const rows = await sql<{ name: string; id: string }>(
    `select tableoid::regclass::text as name, id from audit.events order by id`,
  )
  expect(rows).toEqual([
    { name: monthName(0).name, id: last },
    { name, id: first },
  ])
})

test('events with ids outside of all partitions are rejected', async () => {
  await expect(insert(newId('evt', monthName(4).startMs))).rejects.toThrow(/no partition/)
  await expect(insert(newId('evt', monthName(-1).startMs - 1))).rejects.toThrow(/no partition/)
})

test('ten concurrent replicas create each missing partition once', async () => {
  for (const name of expected.slice(2)) await sql(`drop table ${name}`)
  const made = await Promise.all(Array.from({ length: 10 }, make))
  expect(made.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 3])
  expect(await partitions()).toEqual(expected)
})

test('every partition has the trigger against changes and all indexes', async () => {
  const rows = await sql<{ name: string; enabled: string; indexes: number }>(`
    select c.oid::regclass::text as name, t.tgenabled as enabled,
      (select count(*)::integer from pg_index i where i.indrelid = c.oid and i.indisvalid) as indexes
    from pg_class c left join pg_trigger t on t.tgrelid = c.oid and t.tgname = 'immutable'
    where c.relnamespace = 'audit'::regnamespace and c.relname like 'events%' and c.relkind in ('r', 'p') order by 1`)
  expect(rows).toEqual(['audit.events', ...expected].map(name => ({ name, enabled: 'A', indexes: 11 })))
})

test('listing one lifecycle or object uses its index and order, even without statistics', async () => {
  const { name, startMs } = monthName(3)
  const prefix = newId('evt', startMs).slice(0, 16)
  await sql(`alter table ${name} set (autovacuum_enabled = false)`)
  await admin.write(tx =>
    tx.execute(`
      insert into audit.events (id, seq, content, action, category, actor, correlation_id, target_id, occurred_at)
      select '${prefix}' || lpad(i::text, 14, '0'), 1, '', 'x', 'api', '{}', 'x' || i, 'x' || i, now()
      from generate_series(1, 60000) as i`),
  )
  for (const column of ['correlation_id', 'target_id']) {
    const page = `explain select * from audit.events where ${column} = 'x7' order by occurred_at desc, id desc limit 50`
    const plan = JSON.stringify(await sql(page))
    expect(plan).toMatch(/Presorted Key: events.occurred_at/)
    expect(plan).not.toMatch(/Filter: |Bitmap/)
  }
})

test('a query for days in the middle of a month scans only the partition of that month', async () => {
  const { name, startMs } = monthName(2)
  const day = (offset: number) => new Date(startMs + offset * 86_400_000)
  const { lowest, below } = eventIdRange({ from: day(9), to: day(11) })
  const plan = await sql(`explain select count(*) from audit.events where id >= '${lowest}' and id < '${below}'`)
  const scanned = new Set(JSON.stringify(plan).match(/events_\d{4}_\d\d/g))
  expect([...scanned].map(partition => `audit.${partition}`)).toEqual([name])
})
