import { type TestDatabase, testDatabase } from '@cobro/testing'
import { checkMigrated, migrate, migration } from '../src/migrate.ts'
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
const notes = async () => (await database.query('select text from transactions.notes')).map(row => row.text)

test('of three that migrate at once one does it, and the others find it done', async () => {
  const done = await Promise.all([run([first, second]), run([first, second]), run([first, second])])
  expect(done.toSorted((a, b) => b.length - a.length)).toEqual([['0001-notes', '0002-first-note'], [], []])
  expect(await notes()).toEqual(['the first'])
  expect(await run([first, second])).toEqual([])
})

test('schemas of one database are migrated side by side', async () => {
  const done = await Promise.all([run([first, second]), run([first, second], 'checkout')])
  expect(done).toEqual([
    ['0001-notes', '0002-first-note'],
    ['0001-notes', '0002-first-note'],
  ])
})

test('tables belong to the owner of the schema, and its service may use them at once', async () => {
  await run([first, second])
  const owners = await database.query(`select distinct tableowner from pg_tables where schemaname = 'transactions'`)
  expect(owners).toEqual([{ tableowner: 'cobro_transactions_owner' }])
  const db = openDatabase({ url: database.url(schema), schema, entities: [] })
  await db.write(tx => tx.execute(`insert into transactions.notes (text) values ('mine')`))
  await db.close()
  expect(await notes()).toEqual(['the first', 'mine'])
})

test('a run that fails leaves nothing of itself, and the next may go on', async () => {
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
