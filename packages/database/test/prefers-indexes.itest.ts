import type { Database } from '../src/open-database.ts'
import { type BranchDatabase, branchDatabase, schema } from './branch-database.ts'

let world: BranchDatabase
beforeAll(async () => {
  world = await branchDatabase()
})
afterAll(() => world.stop())

/** Returns how PostgreSQL finds a row of a table that had a single page when it was analyzed. */
async function planOf(db: Database): Promise<string> {
  const rows = await db.execute<{ 'QUERY PLAN': string }>(`explain select 1 from ${schema}.branches where id = ?`, [
    'suc_1',
  ])
  return rows.map(row => row['QUERY PLAN']).join('\n')
}

test('a database for queues looks rows of a short table up by index, and others may read it whole', async () => {
  await world.query(
    `insert into ${schema}.branches (id, name, created_at, updated_at) values ('suc_1', 'Centro', now(), now())`,
  )
  await world.query(`analyze ${schema}.branches`)
  expect(await planOf(world.open({ prefersIndexes: true }))).toMatch(/Index (Only )?Scan/)
  expect(await planOf(world.open({}))).toContain('Seq Scan')
})

test('each connection of a database for queues has the setting, and none compiles plans', async () => {
  const db = world.open({ prefersIndexes: true, poolSize: 3 })
  const read = () =>
    db.execute(`select current_setting('enable_seqscan') as seqscan, current_setting('jit') as jit, pg_sleep(0.1)`)
  const settings = (await Promise.all([read(), read(), read()])).flat()
  expect(settings).toEqual(Array(3).fill(expect.objectContaining({ seqscan: 'off', jit: 'off' })))
})
