import { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../src/test-database.ts'
import { waitFor } from '../src/wait-for.ts'

async function query(url: string, ...statements: string[]) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase({ schemas: ['checkout', 'audit'] })
  for (const schema of ['checkout', 'audit'])
    await query(
      database.migratorUrl,
      `set role cobro_${schema}_owner`,
      `create table ${schema}.notes (id bigserial primary key, text text)`,
    )
})

afterAll(() => database.drop())

test('a service reads and writes the tables of its own schema', async () => {
  const url = database.url('checkout')
  await query(url, `insert into checkout.notes (text) values ('a')`, `update checkout.notes set text = 'b'`)
  expect(await query(url, 'select text from checkout.notes')).toEqual([{ text: 'b' }])
  await query(url, 'delete from checkout.notes')
})

test('the audit log’s service can insert rows and cannot change them', async () => {
  const url = database.url('audit')
  await query(url, `insert into audit.notes (text) values ('a')`)
  await expect(query(url, `update audit.notes set text = 'b'`)).rejects.toThrow('permission denied')
  await expect(query(url, 'delete from audit.notes')).rejects.toThrow('permission denied')
  await expect(query(url, 'truncate audit.notes')).rejects.toThrow('permission denied')
})

test.each([
  ['reading another schema', 'select * from audit.notes'],
  ['creating a table in its own schema', 'create table checkout.mine (id int)'],
  ['creating a table in the public schema', 'create table public.mine (id int)'],
  ['creating a schema', 'create schema mine'],
  ['switching to the owner role', 'set role cobro_checkout_owner'],
])('PostgreSQL denies a service %s', async (_, statement) => {
  await expect(query(database.url('checkout'), statement)).rejects.toThrow('permission denied')
})

test('a service cannot connect to a database without its schema', async () => {
  await expect(query(database.url('webhooks'), 'select 1')).rejects.toThrow('permission denied for database')
})

test('testDatabase can run several times at once', async () => {
  const many = await Promise.all(Array.from({ length: 4 }, () => testDatabase()))
  for (const one of many) expect(await query(one.url('gateway'), 'select 1 as ok')).toEqual([{ ok: 1 }])
  await Promise.all(many.map(one => one.drop()))
})

test('drop removes a database that has open connections', async () => {
  const doomed = await testDatabase({ schemas: ['gateway'] })
  const client = new Client({ connectionString: doomed.url('gateway') })
  client.on('error', () => {})
  await client.connect()
  await doomed.query('select 1')
  const sleeping = doomed.query('select pg_sleep(600)')
  await waitFor(async () => {
    const isAsleep = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
    return (await doomed.query(isAsleep)).length > 0
  })
  await Promise.all([expect(sleeping).rejects.toThrow(), doomed.drop()])
  await expect(query(doomed.adminUrl, 'select 1')).rejects.toThrow('does not exist')
  await client.end().catch(() => {})
})
