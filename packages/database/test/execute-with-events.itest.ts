import { newId } from '@cobro/contracts'
import type { Database } from '../src/open-database.ts'
import type { OutboxRow } from '../src/outbox.ts'
import { type BranchDatabase, branchDatabase } from './branch-database.ts'

let world: BranchDatabase
let db: Database
let published: OutboxRow[] = []
beforeAll(async () => {
  world = await branchDatabase()
  db = world.open({ poolSize: 1 })
  db.onMessages(rows => published.push(...rows))
  await world.query('create sequence transactions.tries; grant usage on sequence transactions.tries to public')
  await world.query(`
    create function transactions.succeed_at(try integer) returns boolean language plpgsql as $$ begin
      if nextval('transactions.tries') < try then raise exception 'again' using errcode = '40P01'; end if;
      return true;
    end $$`)
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.query('truncate transactions.branches, transactions.outbox')
  await world.query('alter sequence transactions.tries restart')
  published = []
})

/** Renames the branches with these ids, which are the effects. */
const rename = `
  renamed as (
    update transactions.branches set name = 'Sur' where id in (select json_array_elements_text(?::json)) returning id
  ),
  effect as (select id as name from renamed)`
const branchIds = async (count: number) => {
  const ids = Array.from({ length: count }, () => newId('suc'))
  await world.query(
    `insert into transactions.branches (id, name, created_at, updated_at) select unnest($1::text[]), 'Norte', now(), now()`,
    [ids],
  )
  return ids
}
/** The same statement, which fails with a deadlock before its nth try. */
const renameAtTry = (count: number) => rename.replace('returning id', `returning id, transactions.succeed_at(${count})`)
const renameAll = (ids: string[], from = db, statement = rename) =>
  from.executeWithEvents(statement, [JSON.stringify(ids)], emitFor => {
    for (const id of ids) emitFor(id)('sucursal.updated', { id: id as never })
  })
const outbox = () => world.query('select id, message_id, body from transactions.outbox order by id')
const targets = (rows: { body: Buffer }[]) => rows.map(row => JSON.parse(row.body.toString()).target_id)

test('a statement stores the events of the effects that it has, in the order in which they were emitted, and no other', async () => {
  const ids = (await branchIds(20)).toReversed()
  const given = ids.flatMap(id => [newId('suc'), id])
  expect((await renameAll(given)).toSorted()).toEqual(ids.toSorted())
  const stored = await outbox()
  expect(targets(stored)).toEqual(ids)
  expect(stored.map(row => row.message_id)).toEqual(stored.map(row => JSON.parse(row.body).id))
})

test('a statement passes on the rows that it stored in the outbox, for publishing after its commit', async () => {
  const [id = ''] = await branchIds(1)
  await renameAll([newId('suc'), id])
  expect(published.map(({ id, message_id, body }) => ({ id, message_id, body }))).toEqual(await outbox())
  expect(published).toEqual([expect.objectContaining({ exchange: 'events', name: 'sucursal.updated', trace: {} })])
  expect(targets(published)).toEqual([id])
})

test('a statement without effects stores no event and calls no listener', async () => {
  expect(await renameAll([newId('suc')])).toEqual([])
  expect([await outbox(), published]).toEqual([[], []])
})

test('a statement that is repeated after a deadlock stores its events once', async () => {
  const [id = ''] = await branchIds(1)
  expect(await renameAll([id], db, renameAtTry(3))).toEqual([id])
  expect(await world.query('select last_value from transactions.tries')).toEqual([{ last_value: '3' }])
  expect(targets(await outbox())).toEqual([id])
  expect(targets(published)).toEqual([id])
})

test('a statement that fails stores neither its effects nor their events', async () => {
  const [id = ''] = await branchIds(1)
  await expect(renameAll([id], db, renameAtTry(5))).rejects.toThrow('again')
  expect([await outbox(), published]).toEqual([[], []])
  expect(await world.query('select name from transactions.branches')).toEqual([{ name: 'Norte' }])
})

test('a statement with events persists if a shared transaction around it is rolled back', async () => {
  const [id = ''] = await branchIds(1)
  const shared = world.open()
  const nothing = { onBegin: async () => undefined, beforeCommit: async () => undefined }
  const work = async () => {
    await renameAll([id], shared)
    await shared.write(async tx => void (await tx.execute('delete from transactions.branches')))
    throw new Error('undone')
  }
  await expect(shared.withSharedTransaction(work, nothing)).rejects.toThrow('undone')
  expect(await world.query('select name from transactions.branches')).toEqual([{ name: 'Sur' }])
  expect(targets(await outbox())).toEqual([id])
})

test('the text of a statement does not depend on the number of events, so that it is planned once', async () => {
  for (let count = 1; count <= 8; count++) await renameAll(await branchIds(count))
  const prepared = await db.execute<{ statement: string }>('select statement from pg_prepared_statements')
  expect(prepared.filter(({ statement }) => statement.includes('renamed'))).toHaveLength(1)
})
