import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dropDatabase, prepareDatabase, withClient } from '../src/database/prepare-database.ts'

const adminUrl = process.env.TEST_POSTGRES_URL ?? ''
const database = `test_${randomBytes(8).toString('hex')}`
const prepare = () => prepareDatabase({ adminUrl, database, schemas: [] })
const query = (url: string, sql: string) => withClient(url, async client => (await client.query(sql)).rows)

afterAll(() => dropDatabase(adminUrl, database))

test('prepareDatabase keeps a database setting that an administrator has changed', async () => {
  const prepared = await prepare()
  const shown = async () => (await query(prepared.adminUrl, 'show random_page_cost'))[0].random_page_cost
  expect(await shown()).toBe('1.1')
  await query(adminUrl, `alter database ${database} set random_page_cost = 2.5`)
  await prepare()
  expect(await shown()).toBe('2.5')
})

test('prepareDatabase can run several times at once for the same database', async () => {
  const made = await Promise.all([prepare(), prepare(), prepare(), prepare()])
  expect(made.map(({ created }) => created)).toEqual([false, false, false, false])
})

test('roles.sql revokes pg_read_all_stats from operators who have it', async () => {
  const roles = await readFile(new URL('../../../deploy/postgres/roles.sql', import.meta.url), 'utf8')
  const may = `select pg_has_role('cobro_operator', 'pg_read_all_stats', 'member') as read_all`
  await prepare()
  await withClient(adminUrl, async client => {
    // Roles are shared by the whole cluster, so this runs in a transaction that is rolled back.
    await client.query(`begin; select pg_advisory_xact_lock(hashtextextended('cobro roles', 0))`)
    await client.query(`grant pg_read_all_stats to cobro_operator; set local cobro.passwords = '{}'`)
    expect((await client.query(may)).rows).toEqual([{ read_all: true }])
    await client.query(roles)
    expect((await client.query(may)).rows).toEqual([{ read_all: false }])
    await client.query('rollback')
  })
})

test('only operators may call operators.activity()', async () => {
  const { adminUrl: url } = await prepare()
  const rights = await query(
    url,
    `select login, has_function_privilege(login, 'operators.activity()', 'execute') as may
     from unnest(array['cobro_operator', 'cobro_checkout', 'cobro_migrator']) as login`,
  )
  expect(rights.filter(({ may }) => may).map(({ login }) => login)).toEqual(['cobro_operator'])
})

test('prepareDatabase rejects an administrator without a password', async () => {
  const url = Object.assign(new URL(adminUrl), { password: '' }).href
  await expect(prepareDatabase({ adminUrl: url, database })).rejects.toThrow('PostgreSQL URL needs a password')
})
