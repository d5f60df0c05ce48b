import { type Id, newId } from '@cobro/contracts'
import { raw } from '@mikro-orm/core'
import { newRow } from '../src/new-row.ts'
import type { Database } from '../src/open-database.ts'
import { type BranchDatabase, BranchEntity, branchDatabase } from './branch-database.ts'

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
  expect(statements.filter(text => text.startsWith('insert into "transactions"."branches"'))).toHaveLength(1)
  expect(statements.join()).not.toContain('Branch')
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

test('reads and writes go on after a migration has added a column to what their statements return', async () => {
  const select = 'select * from transactions.branches where name = ?'
  for (let index = 0; index < 6; index++) {
    await db.execute(select, ['Centro'])
    await db.write(tx => tx.execute(`${select} for update`, ['Centro']))
  }
  expect(await prepared()).toHaveLength(2)
  await world.query('alter table transactions.branches add column floor integer')
  await addBranch('Centro')
  expect(await db.execute(select, ['Centro'])).toEqual([expect.objectContaining({ floor: null })])
  expect(await db.write(tx => tx.execute(`${select} for update`, ['Centro']))).toHaveLength(1)
  await world.query('alter table transactions.branches drop column floor')
  await db.write(async tx => {
    expect(await tx.execute(`${select} for update`, ['Centro'])).toHaveLength(1)
  })
})

test('a statement with an error in it fails alike with and without a name', async () => {
  for (let index = 0; index < 7; index++)
    await expect(db.execute('select ?::integer / 0', [1])).rejects.toThrow('division by zero')
  await db.ping()
})
