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
/** The first of the month that lies so many months back. */
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
  // Not in the order of their months, as events come that waited in a spool.
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

test('months that are a year old go to archives, and the log still verifies without them', async () => {
  const [inOldest, inOld] = [await countOf(oldest), await countOf(old)]
  const content = await world.sql<{ seq: string; content: Buffer }>(
    'select seq, content from audit.events order by seq',
  )
  await retire()
  expect((await partitions()).slice(0, 1)).toEqual([nameOf(young)])
  const retired = inOldest + inOld
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 2, checked: size + 2 - retired, retired })
  expect(await world.checkFile()).toEqual({ newest: size + 2, unsigned: 0, fault: null })

  const lines = (await Promise.all([oldest, old].map(linesOf))).flat()
  expect(lines).toHaveLength(retired)
  for (const line of lines) {
    const seq = /"seq":(\d+)/.exec(line)![1]
    expect(line).toBe(`{"seq":${seq},"event":${content[Number(seq) - 1]!.content}}`)
  }
})

/** How many events lists say there are, and how many there are. */
const counts = async () => {
  const [row] = await world.sql<{ count: number }>('select count(*)::integer as count from audit.events')
  return [await world.log.db.read(countEvents), row!.count]
}

test('the count of the whole log is of the rows that are there, before, during and after a retirement', async () => {
  expect(await counts()).toEqual([size, size])
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  expect(await counts()).toEqual([size + 1, size + 1])
  const gone = (await countOf(oldest)) + (await countOf(old))
  await retire()
  expect(await counts()).toEqual([size + 2 - gone, size + 2 - gone])
})

test('each month is said to be retired once, however often the run broke off before the events went', async () => {
  for (let tries = 0; tries < 2; tries++)
    await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(
      /permission denied/,
    )
  expect(await partitions()).toContain(nameOf(oldest))
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 1, retired: 0 })
  await retire()
  await retire()
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 2 })
  const said = await world.sql(
    `select metadata ->> 'month' as month from audit.events where action = 'audit_log.month_retired'`,
  )
  expect(said).toEqual([{ month: nameOf(oldest) }, { month: nameOf(old) }])
})

test('while one run is at it another is refused, and of two at once no archive loses an event', async () => {
  const inOldest = await countOf(oldest)
  await withRetentionLock(world.log.db, () => expect(retire()).rejects.toThrow(/Another retention run/))
  const runs = await Promise.allSettled([retire(), retire()])
  expect(runs.map(({ status }) => status)).toContain('fulfilled')
  expect(await linesOf(oldest)).toHaveLength(inOldest)
  expect(await world.verify()).toMatchObject({ ok: true, size: size + 2 })
})

test('a run that still takes a month for there leaves its archive as it is', async () => {
  await retire()
  const bytes = await readFile(archive(oldest))
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const logger = createLogger('audit-log', 'silent')
  const retiring = { log: world.log, keys: [world.log.key], keeper, folder: world.folder, logger }
  const stale = monthOf(`audit.events_${nameOf(oldest).replace('-', '_')}`)
  await expect(retireMonth(retiring, stale)).rejects.toThrow(/retired with other events/)
  await keeper.close()
  expect(await readFile(archive(oldest))).toEqual(bytes)
})

test('a month that was changed after it was said to be retired does not replace its archive', async () => {
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  const bytes = await readFile(archive(oldest))
  await world.sql(
    'alter table audit.events disable trigger immutable',
    `update audit.events set content = convert_to(replace(convert_from(content, 'UTF8'), '25000', '9'), 'UTF8') where id = (select min(id) from audit.events)`,
    'alter table audit.events enable always trigger immutable',
  )
  await expect(retire()).rejects.toThrow(/is not the one that was signed/)
  expect(await readFile(archive(oldest))).toEqual(bytes)
  expect((await readdir(world.folder)).filter(name => name.endsWith('.unfinished'))).toEqual([])
})

test('a month with an event that somebody touched does not go', async () => {
  await world.sql(
    'alter table audit.events disable trigger immutable',
    `update audit.events set content = convert_to(replace(convert_from(content, 'UTF8'), '25000', '25001'), 'UTF8') where id = (select max(id) from audit.events where id < '${newId('evt', old.getTime())}')`,
    'alter table audit.events enable always trigger immutable',
  )
  await expect(retire()).rejects.toThrow(/is not the one that was signed/)
  expect((await partitions()).slice(0, 2)).toEqual([nameOf(oldest), nameOf(old)])
  expect(await world.sql('select * from audit.retirements')).toEqual([])
})

test('the database drops no month that is young, that nobody retired, or that has other events than were retired', async () => {
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const drop = (month: Date) => keeper.read(em => em.execute(`select audit.drop_partition('${nameOf(month)}-01')`))
  await expect(drop(young)).rejects.toThrow(/is kept/)
  await expect(drop(now)).rejects.toThrow(/is kept/)
  await expect(drop(oldest)).rejects.toThrow(/events and 0 are retired/)
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  await world.append([eventOf(oldest)])
  await expect(drop(oldest)).rejects.toThrow(/are retired/)
  await expect(retire()).rejects.toThrow(/retired with other events/)
  expect(await partitions()).toContain(nameOf(oldest))
  await keeper.close()
})

/** Whether somebody waits for the whole log, or for one month of it. */
const isWaiting = async (table = 'audit.events') => {
  const [row] = await world.sql<{ waits: boolean }>(
    `select exists (select from pg_locks where relation = '${table}'::regclass and not granted) as waits`,
  )
  return row!.waits
}

test('a month does not go while others read or write, and holds them up neither for counting nor for long', async () => {
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const drop = () => keeper.read(em => em.execute(`select audit.drop_partition('${nameOf(oldest)}-01')`))
  const { db, key } = world.log
  await db.write(async tx => {
    await tx.execute('select from audit.events limit 1')
    // It is counted without waiting for those who read.
    await expect(drop()).rejects.toThrow(/events and 0 are retired/)
  })
  await expect(retire({ AUDIT_KEEPER_DATABASE_URL: world.database.url('audit') })).rejects.toThrow(/permission denied/)
  await db.write(async tx => {
    await tx.execute('select from audit.events limit 1')
    const asked = performance.now()
    await expect(drop()).rejects.toThrow(/lock timeout/)
    expect(performance.now() - asked).toBeLessThan(8_000)
  })
  let dropping: Promise<unknown> | undefined
  await db.write(async tx => {
    await appendInTransaction(tx, key, auditRecord(eventOf(oldest), null)!)
    dropping = drop()
    dropping.catch(() => undefined)
    await waitFor(() => isWaiting())
  })
  await expect(dropping).rejects.toThrow(/has got events since/)
  expect(await partitions()).toContain(nameOf(oldest))
  await keeper.close()
})

test('while a month is counted the months to come can be made: a service that starts then takes messages', async () => {
  const keeper = openDatabase({ url: world.database.auditKeeperUrl, schema: 'audit', entities: [], poolSize: 1 })
  const holder = openDatabase({ url: world.database.adminUrl, schema: 'audit', entities: [], poolSize: 1 })
  const table = `audit.events_${nameOf(oldest).replace('-', '_')}`
  await holder.write(async tx => {
    // A count that takes long.
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

test('an event of a month that went is refused, not lost among others', async () => {
  await retire()
  await expect(world.append([eventOf(old)])).rejects.toThrow(/no partition/)
})

test('what excuses the missing events cannot be changed or taken away unseen', async () => {
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
  const fault = { kind: 'event_missing', seq: Number(missing!.seq) }
  for (const change of [
    `update audit.retirements set content = content || ' '`,
    'update audit.retirements set seq = seq - 1',
    'delete from audit.retirements',
  ]) {
    await world.sql(change)
    expect(await world.verify()).toMatchObject({ ok: false, first_fault: fault })
  }
})

test('an archive is read back: no line can be changed, exchanged, added or cut off', async () => {
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
  await expect(check(lines.with(3, lines[3]!.replace('25000', '25001')))).rejects.toThrow(/not the one that was signed/)
  await expect(check(lines.with(3, lines[3]!.replace(/"seq":\d+/, '"seq":9999')))).rejects.toThrow(/not the one/)
  await expect(check([lines[1]!, lines[0]!, ...lines.slice(2)])).rejects.toThrow(/comes after/)
  await expect(check([...lines, lines.at(-1)!])).rejects.toThrow(/comes after/)
  await expect(check([...lines, '{}'])).rejects.toThrow(/is no event/)
  await expect(check(lines, '')).rejects.toThrow(/cut off/)
  expect((await check(lines.slice(0, -1))).sha256).not.toBe(sha256)
  const whole = await readFile(archive(old))
  await writeFile(file, whole.subarray(0, whole.length / 2))
  await expect(checkArchive(deps, file)).rejects.toThrow(/unexpected end/)
})

test('keeps longer what it is told to keep longer, and never less than a year', async () => {
  await retire({ AUDIT_KEEP_MONTHS: '24' })
  expect((await readdir(world.folder)).filter(name => name.endsWith('.gz'))).toEqual([])
  await expect(retire({ AUDIT_KEEP_MONTHS: '11' })).rejects.toThrow(/AUDIT_KEEP_MONTHS/)
})
