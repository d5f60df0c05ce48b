import { type Id, newId } from '@cobro/contracts'
import { raw } from '@mikro-orm/core'
import { Pool, type PoolClient } from 'pg'
import { newRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import { nameStatements } from '../src/statement-names.ts'
import { readableRows } from '../src/tenant-rows.ts'
import { type BranchDatabase, BranchEntity, branchDatabase, client, schema } from './branch-database.ts'

let world: BranchDatabase
let db: Database
beforeAll(async () => {
  world = await branchDatabase()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.query('truncate transactions.branches')
  // One connection, whose prepared statements the tests can read.
  db = world.open({ poolSize: 1 })
})
afterEach(() => db.close())

const prepared = () => db.execute<{ statement: string }>('select name, statement from pg_prepared_statements')
const addBranch = (name: string, id: Id<'suc'> = newId('suc')) =>
  db.write(async tx => newRow(tx, BranchEntity, { id, merchant_id: newId('mrc'), name }))

test('statements of entities and of our own SQL are planned once per connection, whatever their values are', async () => {
  for (let index = 0; index < 6; index++) {
    await addBranch(`Branch ${index}`)
    await db.read(em => em.findOne(BranchEntity, { name: `Branch ${index}` }))
    await db.execute('select id from transactions.branches where name = ?', [`Branch ${index}`])
  }
  const statements = (await prepared()).map(row => row.statement)
  expect(statements).toHaveLength(3)
  expect(statements).toContain('select id from transactions.branches where name = $1')
  expect(statements.filter(text => text.startsWith('insert into transactions.branches'))).toHaveLength(1)
  expect(statements.join()).not.toContain('Branch')
})

test('lists are planned for their values each time, whatever the filters', async () => {
  const rows = readableRows(db, BranchEntity, { search: ['name'] })
  const page = { limit: 50, offset: 0, order: 'created_at', dir: 'desc', counted: true } as const
  for (let index = 0; index < 8; index++)
    await rows.list(client(newId('mrc')), { ...page, search: 'Centro', filters: { name: 'Centro' } })
  expect(await prepared()).toEqual([])
})

test('values arrive as they are: dates, bytes, JSON, lists, fragments and texts with quotes or question marks', async () => {
  const date = new Date('2026-02-28T23:59:59.123Z')
  const [row] = await db.execute(
    `select ?::timestamptz as date, ?::bytea as bytes, ?::jsonb as json, ?::text as text, ?::bigint as cents, ?::text as empty,
       3 in (?) as listed, ?::boolean as boolean, '\\?' as mark`,
    [date, Buffer.from([0, 255]), { a: [1, "'"] }, `it's \\ $1 ?`, 99_999_999_999n, null, [1, 2, 3], true],
  )
  expect(row).toEqual({
    date: '2026-02-28 23:59:59.123+00',
    bytes: Buffer.from([0, 255]),
    json: { a: [1, "'"] },
    text: `it's \\ $1 ?`,
    cents: '99999999999',
    empty: null,
    listed: true,
    boolean: true,
    mark: '?',
  })
  await addBranch('Centro')
  const found = await db.read(em => em.find(BranchEntity, { [raw('lower(name)')]: raw('lower(?)', ['CENTRO']) }))
  expect(found.map(branch => branch.name)).toEqual(['Centro'])
})

const selectBranch = 'select * from transactions.branches where name = ?'

/** Repeats a query until its statement is prepared, and changes the columns that the statement returns. */
async function prepareAndMigrate(query: () => Promise<unknown>, migration: string) {
  for (let index = 0; index < 6; index++) await query()
  expect((await prepared()).map(row => row.statement)).toContain(selectBranch.replace('?', '$1'))
  await world.query(migration)
}

test('a read goes on after a migration has changed the columns that its statement returns', async () => {
  const read = () => db.execute(selectBranch, ['Centro'])
  await addBranch('Centro')
  await prepareAndMigrate(read, 'alter table transactions.branches add column floor integer')
  expect(await read()).toEqual([expect.objectContaining({ name: 'Centro', floor: null })])
  await prepareAndMigrate(read, 'alter table transactions.branches drop column floor')
  expect(await read()).toEqual([expect.not.objectContaining({ floor: null })])
})

test('a transaction runs again after a migration has changed the columns that its statement returns', async () => {
  let runs = 0
  const write = () =>
    db.write(async tx => {
      runs += 1
      newRow(tx, BranchEntity, { id: newId('suc'), merchant_id: newId('mrc'), name: 'Norte' })
      return tx.execute(selectBranch, ['Centro'])
    })
  await prepareAndMigrate(write, 'alter table transactions.branches add column storey integer')
  const before = runs
  await write()
  expect(runs - before).toBe(2)
  expect(
    await world.query(`select count(*)::integer as count from transactions.branches where name = 'Norte'`),
  ).toEqual([{ count: before + 1 }])
  await world.query('alter table transactions.branches drop column storey')
})

test('after a slow execution all connections plan again, for the size that a table has by then', async () => {
  await world.query(`create table transactions.grown (id integer, note text);
    create index grown_id on transactions.grown (id);
    grant select on transactions.grown to public;
    alter table transactions.grown set (autovacuum_enabled = off);
    insert into transactions.grown values (0, ''); analyze transactions.grown`)
  const pool = new Pool({ connectionString: world.database.url(schema) })
  nameStatements(pool, { slowMs: 1_000, intervalMs: 0 })
  const [one, other] = [await pool.connect(), await pool.connect()]
  const select = (client: PoolClient, seconds: number) =>
    client.query('select id, pg_sleep($1) from transactions.grown where id = $2', [seconds, 1])
  const plan = async (client: PoolClient) =>
    JSON.stringify((await client.query('explain execute cobro_0_0 (0, 1)')).rows)
  try {
    for (const client of [one, other]) for (let index = 0; index < 12; index++) await select(client, 0)
    await world.query(`insert into transactions.grown select n, repeat('x', 100) from generate_series(1, 20000) n`)
    for (const client of [one, other]) {
      await select(client, 0)
      expect(await plan(client)).toContain('Seq Scan')
    }
    await select(one, 1.1)
    // A transaction that has failed plans nothing; the connection does so afterwards.
    await other.query('begin')
    await expect(other.query('select 1 / 0')).rejects.toThrow('division by zero')
    await expect(select(other, 0)).rejects.toThrow('current transaction is aborted')
    await other.query('rollback')
    for (const client of [one, other]) {
      await select(client, 0)
      expect(await plan(client)).toContain('grown_id')
    }
  } finally {
    one.release()
    other.release()
    await pool.end()
    await world.query('drop table transactions.grown')
  }
})

test('a statement with an error in it fails alike with and without a name', async () => {
  for (let index = 0; index < 7; index++)
    await expect(db.execute('select ?::integer / 0', [1])).rejects.toThrow('division by zero')
  await db.ping()
})
