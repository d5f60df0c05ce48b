import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { createOnCallLogin } from '../src/database/on-call-login.ts'
import { dropDatabase, prepareDatabase, withClient } from '../src/database/prepare-database.ts'

const adminUrl = process.env.TEST_POSTGRES_URL ?? ''
const database = `test_${randomBytes(8).toString('hex')}`
const address = (options: string) => {
  const url = new URL(adminUrl)
  url.searchParams.set('options', options)
  return url.href
}
const prepare = () => prepareDatabase({ adminUrl, database, schemas: [] })
const query = (url: string, sql: string) => withClient(url, async client => (await client.query(sql)).rows)

afterAll(async () => {
  await dropDatabase(adminUrl, database)
  await query(adminUrl, 'drop role if exists cobro_on_call')
})

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

test('createOnCallLogin gives an existing role the rights of operators, and the server logs no password', async () => {
  await prepare()
  await query(adminUrl, 'drop role if exists cobro_on_call; create role cobro_on_call nologin noinherit')
  const client = new Client({ connectionString: address('-c client_min_messages=log -c log_statement=ddl') })
  const logged: string[] = []
  client.on('notice', ({ message }) => logged.push(message ?? ''))
  await client.connect()
  await client.query('create temporary table seen ()')
  const { username, password } = await createOnCallLogin(client)
  await client.end()
  expect(logged).toContain('statement: create temporary table seen ()')
  expect(logged.filter(line => line.includes(password))).toEqual([])

  const own = Object.assign(new URL(adminUrl), { pathname: `/${database}`, username, password }).href
  expect(await query(own, 'select count(*) > 0 as any from operators.activity()')).toEqual([{ any: true }])
})
