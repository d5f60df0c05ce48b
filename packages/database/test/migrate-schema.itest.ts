import { type TestDatabase, testDatabase, waitFor } from '@cobro/testing'
import { checkMigrated, migrate, migration, migrationInSteps } from '../src/migrate.ts'
import { openDatabase } from '../src/open-database.ts'

const schema = 'transactions'
const first = migration('0001-notes', 'create table notes (id bigserial primary key, text text not null)')
const second = migration('0002-first-note', `insert into notes (text) values ('the first')`)

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase({ schemas: [schema, 'checkout'] })
})
afterEach(() => database.drop())

const run = (migrations: Parameters<typeof migrate>[0]['migrations'], of: 'transactions' | 'checkout' = schema) =>
  migrate({ url: database.migratorUrl, schema: of, migrations })
/** Returns the queries with this prefix that wait for a lock. */
const waitingFor = (begin: string) =>
  database.query(
    `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and starts_with(ltrim(query), $1)`,
    [begin],
  )
const notes = async () => (await database.query('select text from transactions.notes')).map(row => row.text)

test('one of three concurrent migrate runs applies the migrations, and the others find nothing pending', async () => {
  const done = await Promise.all([run([first, second]), run([first, second]), run([first, second])])
  expect(done.toSorted((a, b) => b.length - a.length)).toEqual([['0001-notes', '0002-first-note'], [], []])
  expect(await notes()).toEqual(['the first'])
  expect(await run([first, second])).toEqual([])
})

test('several schemas of one database can be migrated concurrently', async () => {
  const done = await Promise.all([run([first, second]), run([first, second], 'checkout')])
  expect(done).toEqual([
    ['0001-notes', '0002-first-note'],
    ['0001-notes', '0002-first-note'],
  ])
})

test('migrated tables belong to the owner of the schema, and its service can use them at once', async () => {
  await run([first, second])
  const owners = await database.query(`select distinct tableowner from pg_tables where schemaname = 'transactions'`)
  expect(owners).toEqual([{ tableowner: 'cobro_transactions_owner' }])
  const db = openDatabase({ url: database.url(schema), schema, entities: [] })
  await db.write(tx => tx.execute(`insert into transactions.notes (text) values ('mine')`))
  await db.close()
  expect(await notes()).toEqual(['the first', 'mine'])
})

test('a failed migrate run leaves no changes, and the next run can continue', async () => {
  const broken = migration('0003-broken', `insert into notes (text) values ('half'); select 1 / 0`)
  await run([first])
  await expect(run([first, second, broken])).rejects.toThrow('division by zero')
  expect(await notes()).toEqual([])
  expect(await run([first, second])).toEqual(['0002-first-note'])
})

test('a service is ready once its schema is at the newest migration that it knows, or past it', async () => {
  const db = openDatabase({ url: database.url(schema), schema, entities: [] })
  try {
    await expect(checkMigrated(db, [first, second])).rejects.toThrow()
    await run([first])
    await expect(checkMigrated(db, [first, second])).rejects.toThrow(
      'The schema transactions is not at migration 0002-first-note: run the migrate command.',
    )
    await run([first, second])
    await checkMigrated(db, [first, second])
    await checkMigrated(db, [first])
  } finally {
    await db.close()
  }
})

test('a migration retries a locked table after short waits, so that other sessions can still read it', async () => {
  await run([first, second])
  const db = openDatabase({ url: database.url(schema), schema, entities: [] })
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reading = db.write(async tx => {
    await tx.execute('select text from transactions.notes')
    begun.resolve()
    await ended.promise
  })
  await begun.promise
  const migrated = run([first, second, migration('0003-authors', 'alter table notes add column author text')])
  await waitFor(async () => (await waitingFor('alter table notes')).length > 0)
  expect(await notes()).toEqual(['the first'])
  ended.resolve()
  await reading
  expect(await migrated).toEqual(['0003-authors'])
  await db.close()
})

describe('a migration in steps', () => {
  const index = migrationInSteps('0003-notes-by-text', [
    'drop index concurrently if exists notes_text',
    'create unique index concurrently notes_text on notes (text)',
  ])
  const third = migration('0004-second-note', `insert into notes (text) values ('the second')`)
  const names = ['0001-notes', '0002-first-note', '0003-notes-by-text', '0004-second-note']
  const indexes = async () =>
    await database.query(
      `select indisvalid as valid from pg_index where indexrelid = 'transactions.notes_text'::regclass`,
    )

  test('a migration in steps runs in its order among the others, also with three concurrent migrate runs', async () => {
    const all = [first, second, index, third]
    const done = await Promise.all([run(all), run(all), run(all)])
    expect(done.toSorted((a, b) => b.length - a.length)).toEqual([names, [], []])
    expect(await notes()).toEqual(['the first', 'the second'])
    expect(await indexes()).toEqual([{ valid: true }])
  })

  test('a migration in steps creates an index while its table is written to', async () => {
    await run([first])
    const db = openDatabase({ url: database.url(schema), schema, entities: [] })
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = db.write(async tx => {
      await tx.execute(`insert into transactions.notes (text) values ('slow')`)
      begun.resolve()
      await ended.promise
    })
    await begun.promise
    const migrated = run([first, index])
    await waitFor(async () => (await waitingFor('create unique index')).length > 0)
    await db.write(tx => tx.execute(`insert into transactions.notes (text) values ('quick')`))
    expect(await notes()).toEqual(['quick'])
    ended.resolve()
    await writing
    expect(await migrated).toEqual(['0003-notes-by-text'])
    expect(await indexes()).toEqual([{ valid: true }])
    await db.close()
  })

  test('a failed migration in steps starts again, and the migrations before it stay applied', async () => {
    const twice = migration('0002-two-notes', `insert into notes (text) values ('same'), ('same')`)
    await expect(run([first, twice, index, third])).rejects.toThrow('could not create unique index')
    expect([await notes(), await indexes()]).toEqual([['same', 'same'], [{ valid: false }]])
    await database.query(`update transactions.notes set text = 'other' where id = 1`)
    expect(await run([first, twice, index, third])).toEqual(names.slice(2))
    expect([await notes(), await indexes()]).toEqual([['same', 'other', 'the second'], [{ valid: true }]])
  })
})
