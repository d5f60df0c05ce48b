import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Message, newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { appendInTransaction } from '../src/events/append-records.ts'
import { auditRecord } from '../src/events/audit-record.ts'
import { countEvents } from '../src/events/count-events.ts'
import { makePartitions } from '../src/events/make-partitions.ts'
import { checkArchive } from '../src/retention/check-archive.ts'
import { monthOf } from '../src/retention/log-month.ts'
import { withRetentionLock } from '../src/retention/retention-lock.ts'
import { retireMonth } from '../src/retention/retire-month.ts'
import { retireCommand } from '../src/retire-command.ts'
import { eventMessage } from './audit-log-world.ts'
import { type LogWorld, logWorld } from './log-world.ts'

const now = new Date()
/** The first day of the month a number of months ago. */
const monthAgo = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
const nameOf = (month: Date) => month.toISOString().slice(0, 7)
const [oldest, old, young] = [14, 13, 12].map(monthAgo) as [Date, Date, Date]
const eventOf = (month: Date): Message => {
  const at = new Date(month.getTime() + Math.floor(Math.random() * 27 * 86_400_000))
  return eventMessage({ id: newId('evt', at.getTime()), occurred_at: at.toISOString() })
}

let world: LogWorld
const size = 120

beforeEach(async () => {
  world = await logWorld()
  for (const month of [oldest, old, young])
    await world.sql('set local role cobro_audit_owner', `select audit.make_month('${nameOf(month)}-01')`)
  // Not in the order of their months, like events that waited in a spool.
  for (let batch = 0; batch < 12; batch++)
    await world.append(Array.from({ length: 10 }, (_, i) => eventOf([oldest, old, young, now][(batch + (i % 3)) % 4]!)))
})
afterEach(() => world.close())

const retire = async (settings: Record<string, string> = {}) => {
  const releases: (() => unknown)[] = []
  const env = {
    DATABASE_URL: world.database.url('audit'),
    AUDIT_KEEPER_DATABASE_URL: world.database.auditKeeperUrl,
    AUDIT_SIGNING_KEY: JSON.stringify(world.log.key.privateKey.export({ format: 'jwk' })),
    AUDIT_CHECKPOINT_FILE: world.file,
    AUDIT_ARCHIVE_DIR: world.folder,
    ...settings,
  }
  const done = retireCommand(release => releases.push(release), createLogger('audit-log', 'silent'), env)
  await done.finally(async () => {
    for (const release of releases) await release()
  })
}
const archive = (month: Date) => join(world.folder, `events-${nameOf(month)}.ndjson.gz`)
const linesOf = async (month: Date) =>
  gunzipSync(await readFile(archive(month)))
    .toString()
    .split('\n')
    .slice(0, -1)
const partitions = async () =>
  (
    await world.sql<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit.events'::regclass order by 1`,
    )
  ).map(({ name }) => name.slice(-7).replace('_', '-'))
const countOf = async (month: Date) =>
  (
    await world.sql<{ count: number }>(
      `select count(*)::integer as count from audit.events where to_char(occurred_at at time zone 'UTC', 'YYYY-MM') = '${nameOf(month)}'`,
    )
  )[0]!.count

test('months older than a year are archived, and the log still verifies without them', async () => {
  const [inOldest, inOld] = [await countOf(oldest), await countOf(old)]
  const content = await world.sql<{ seq: string; content: Buffer }>(
    'select seq, content from audit.events order by seq',
  )
  await retire()
  expect((await partitions()).slice(0, 1)).toEqual([nameOf(young)])
  const retired = inOldest + inOld
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 2, checked: size + 2 - retired, retired })
  expect(await world.checkFile()).toEqual({ newest: size + 2, unsigned: 0, violation: null })

  const lines = (await Promise.all([oldest, old].map(linesOf))).flat()
  expect(lines).toHaveLength(retired)
  for (const line of lines) {
    const seq = /"seq":(\d+)/.exec(line)![1]
    expect(line).toBe(`{"seq":${seq},"event":${content[Number(seq) - 1]!.content}}`)
  }
})

/** Returns the count that lists show, and the number of rows. */
const counts = async () => {
  const [row] = await world.sql<{ count: number }>('select count(*)::integer as count from audit.events')
  return [await world.log.db.read(countEvents), row!.count]
}

test('the event count matches the rows before, during and after a retirement', async () => {
  expect(await counts()).toEqual([size, size])
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  expect(await counts()).toEqual([size + 1, size + 1])
  const gone = (await countOf(oldest)) + (await countOf(old))
  await retire()
  expect(await counts()).toEqual([size + 2 - gone, size + 2 - gone])
})

test('a month is recorded as retired once, even if runs fail before they drop its events', async () => {
  for (let tries = 0; tries < 2; tries++)
    await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(
      /permission denied/,
    )
  expect(await partitions()).toContain(nameOf(oldest))
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 1, retired: 0 })
  await retire()
  await retire()
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 2 })
  const recorded = await world.sql(
    `select metadata ->> 'month' as month from audit.events where action = 'audit_log.month_retired'`,
  )
  expect(recorded).toEqual([{ month: nameOf(oldest) }, { month: nameOf(old) }])
})

test('a second concurrent retention run is rejected, and archives stay complete', async () => {
  const inOldest = await countOf(oldest)
  await withRetentionLock(world.log.db, () => expect(retire()).rejects.toThrow(/Another retention run/))
  const runs = await Promise.allSettled([retire(), retire()])
  expect(runs.map(({ status }) => status)).toContain('fulfilled')
  expect(await linesOf(oldest)).toHaveLength(inOldest)
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 2 })
})

test('retiring a month that is already gone does not change its archive', async () => {
  await retire()
  const bytes = await readFile(archive(oldest))
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const logger = createLogger('audit-log', 'silent')
  const deps = { log: world.log, keys: [world.log.key], keeper, folder: world.folder, logger }
  const stale = monthOf(`audit.events_${nameOf(oldest).replace('-', '_')}`)
  await expect(retireMonth(deps, stale)).rejects.toThrow(/retired with different events/)
  await keeper.close()
  expect(await readFile(archive(oldest))).toEqual(bytes)
})

test('a month that was tampered with after its retirement was recorded does not replace its archive', async () => {
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  const bytes = await readFile(archive(oldest))
  await world.sql(
    'alter table audit.events disable trigger immutable',
    `update audit.events set content = convert_to(replace(convert_from(content, 'UTF8'), '25000', '9'), 'UTF8') where id = (select min(id) from audit.events)`,
    'alter table audit.events enable always trigger immutable',
  )
  await expect(retire()).rejects.toThrow(/is not the signed event/)
  expect(await readFile(archive(oldest))).toEqual(bytes)
  expect((await readdir(world.folder)).filter(name => name.endsWith('.unfinished'))).toEqual([])
})

test('a month with an event that was tampered with is not retired', async () => {
  await world.sql(
    'alter table audit.events disable trigger immutable',
    `update audit.events set content = convert_to(replace(convert_from(content, 'UTF8'), '25000', '25001'), 'UTF8') where id = (select max(id) from audit.events where id < '${newId('evt', old.getTime())}')`,
    'alter table audit.events enable always trigger immutable',
  )
  await expect(retire()).rejects.toThrow(/is not the signed event/)
  expect((await partitions()).slice(0, 2)).toEqual([nameOf(oldest), nameOf(old)])
  expect(await world.sql('select * from audit.retirements')).toEqual([])
})

test('the database does not drop a recent month, a month not retired, or one whose events changed since', async () => {
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const drop = (month: Date) => keeper.read(em => em.execute(`select audit.drop_partition('${nameOf(month)}-01')`))
  await expect(drop(young)).rejects.toThrow(/is kept/)
  await expect(drop(now)).rejects.toThrow(/is kept/)
  await expect(drop(oldest)).rejects.toThrow(/events and 0 are retired/)
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  await world.append([eventOf(oldest)])
  await expect(drop(oldest)).rejects.toThrow(/are retired/)
  await expect(retire()).rejects.toThrow(/retired with different events/)
  expect(await partitions()).toContain(nameOf(oldest))
  await keeper.close()
})

/** Lets a drop wait a minute for a lock, so that a busy machine can do the rest meanwhile. */
const waitForLocks = () => world.sql(`alter function audit.drop_partition(date) set lock_timeout = '1min'`)

/** Returns whether a transaction waits for a lock on the log or one of its partitions. */
const isWaiting = async (table = 'audit.events') => {
  const [row] = await world.sql<{ waits: boolean }>(
    `select exists (select from pg_locks where relation = '${table}'::regclass and not granted) as waits`,
  )
  return row!.waits
}

test('a month is not dropped while others read or write, and blocks them only briefly', async () => {
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const drop = () => keeper.read(em => em.execute(`select audit.drop_partition('${nameOf(oldest)}-01')`))
  const { db, key } = world.log
  await db.write(async tx => {
    await tx.execute('select from audit.events limit 1')
    // Counting does not wait for readers.
    await expect(drop()).rejects.toThrow(/events and 0 are retired/)
  })
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  // Without the limit of the session, only that of the function ends the wait before the statement timeout.
  await keeper.read(em => em.execute('set lock_timeout = 0'))
  await db.write(async tx => {
    await tx.execute('select from audit.events limit 1')
    await expect(drop()).rejects.toThrow(/lock timeout/)
  })
  await waitForLocks()
  let dropping: Promise<unknown> | undefined
  await db.write(async tx => {
    await appendInTransaction(tx, { key }, auditRecord(eventOf(oldest), null)!)
    dropping = drop()
    dropping.catch(() => undefined)
    await waitFor(() => isWaiting())
  })
  await expect(dropping).rejects.toThrow(/has got events since/)
  expect(await partitions()).toContain(nameOf(oldest))
  await keeper.close()
})

test('partitions can be created while a month is counted, so that a service can start', async () => {
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const holder = openDatabase({ url: world.database.adminUrl, schema: 'audit', entities: [], poolSize: 1 })
  const table = `audit.events_${nameOf(oldest).replace('-', '_')}`
  await waitForLocks()
  await holder.write(async tx => {
    // The lock simulates a slow count.
    await tx.execute(`lock table ${table} in access exclusive mode`)
    const counting = keeper.read(em => em.execute(`select audit.drop_partition('${nameOf(oldest)}-01')`))
    counting.catch(() => undefined)
    await waitFor(() => isWaiting(table))
    await makePartitions({ db: world.log.db, logger: createLogger('audit-log', 'silent') })
    expect(await isWaiting(table)).toBe(true)
  })
  await keeper.close()
  await holder.close()
})

test('an event of a retired month is rejected', async () => {
  await retire()
  await expect(world.append([eventOf(old)])).rejects.toThrow(/no partition/)
})

test('changed or deleted retirement rows are found', async () => {
  const [missing] = await world.sql<{ seq: string }>(
    `select min(seq) as seq from audit.events where id < '${newId('evt', young.getTime())}'`,
  )
  await retire()
  await world.sql('alter table audit.retirements disable trigger immutable')
  await world.sql(`update audit.retirements set month = '2019-01-01' where month = '${nameOf(old)}-01'`)
  expect(await world.verify()).toMatchObject({
    ok: false,
    first_fault: { kind: 'retirement_changed', seq: size + 2, expected: nameOf(old), found: '2019-01' },
  })
  const violation = { kind: 'event_missing', seq: Number(missing!.seq) }
  for (const change of [
    `update audit.retirements set content = content || ' '`,
    'update audit.retirements set seq = seq - 1',
    'delete from audit.retirements',
  ]) {
    await world.sql(change)
    expect(await world.verify()).toMatchObject({ ok: false, first_fault: violation })
  }
})

test('an archive with a changed, swapped, added or truncated line is rejected', async () => {
  await retire()
  const deps = { db: world.log.db, keys: [world.log.key] }
  const lines = await linesOf(old)
  const file = join(world.folder, 'changed.gz')
  const check = async (changed: string[], end = '\n') => {
    await writeFile(file, gzipSync(changed.join('\n') + end))
    return checkArchive(deps, file)
  }
  const { sha256, events } = await check(lines)
  expect([sha256, events]).toEqual([(await checkArchive(deps, archive(old))).sha256, lines.length])
  await expect(check(lines.with(3, lines[3]!.replace('25000', '25001')))).rejects.toThrow(/is not the signed event/)
  await expect(check(lines.with(3, lines[3]!.replace(/"seq":\d+/, '"seq":9999')))).rejects.toThrow(
    /is not the signed event/,
  )
  await expect(check([lines[1]!, lines[0]!, ...lines.slice(2)])).rejects.toThrow(/comes after/)
  await expect(check([...lines, lines.at(-1)!])).rejects.toThrow(/comes after/)
  await expect(check([...lines, '{}'])).rejects.toThrow(/is not an event/)
  await expect(check(lines, '')).rejects.toThrow(/truncated/)
  expect((await check(lines.slice(0, -1))).sha256).not.toBe(sha256)
  const whole = await readFile(archive(old))
  await writeFile(file, whole.subarray(0, whole.length / 2))
  await expect(checkArchive(deps, file)).rejects.toThrow(/unexpected end/)
})

test('AUDIT_KEEP_MONTHS keeps months longer, and less than a year is rejected', async () => {
  await retire({ AUDIT_KEEP_MONTHS: '24' })
  expect((await readdir(world.folder)).filter(name => name.endsWith('.gz'))).toEqual([])
  await expect(retire({ AUDIT_KEEP_MONTHS: '11' })).rejects.toThrow(/AUDIT_KEEP_MONTHS/)
})
