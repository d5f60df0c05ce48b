import { createRequire } from 'node:module'
import { testDatabase } from '@cobro/testing'
import type { Client as AnyClient, CustomTypesConfig } from 'pg'

/** The copy of `pg` that MikroORM uses, and with it the services. */
const mikroOrm = createRequire(import.meta.url).resolve('@mikro-orm/postgresql')
const { Client } = createRequire(mikroOrm)('pg') as { Client: typeof AnyClient }

const database = await testDatabase()
afterAll(() => database.drop())

async function connect(types?: CustomTypesConfig) {
  const client = new Client({ connectionString: database.adminUrl, ...(types ? { types } : {}) })
  await client.connect()
  return client
}

test('the fields of a statement that is repeated are parsed once, also on another connection', async () => {
  const [one, other] = [await connect(), await connect()]
  const text = `select 1 as first, 'a' as second`
  const results = [await one.query(text), await one.query(text), await other.query(text)]
  for (const { rows } of results) expect(rows).toEqual([{ first: 1, second: 'a' }])
  expect(new Set(results.map(({ fields }) => fields)).size).toBe(1)
  expect(results[0]?.fields.map(({ name }) => name)).toEqual(['first', 'second'])
  await Promise.all([one.end(), other.end()])
})

test('rows do not share what their readers change', async () => {
  const client = await connect()
  const [row] = (await client.query('select 1 as first')).rows
  row.first = 2
  row.more = 3
  expect((await client.query('select 1 as first')).rows).toEqual([{ first: 1 }])
  await client.end()
})

test('a column that has another type or name gets other fields', async () => {
  const client = await connect()
  const name = 'read'
  await client.query('create table public.known (id bigint, value integer)')
  await client.query('insert into public.known values (1, 5)')
  const read = async () => (await client.query({ name, text: 'select value from public.known' })).rows
  expect(await read()).toEqual([{ value: 5 }])
  await client.query('alter table public.known alter value type text')
  await client.query('deallocate all')
  const again = await client.query('select value from public.known')
  expect(again.rows).toEqual([{ value: '5' }])
  expect((await client.query('select value as other from public.known')).rows).toEqual([{ other: '5' }])
  await client.end()
})

test('each connection parses values with its own types', async () => {
  const hours = await connect({ getTypeParser: () => (value: unknown) => `${value} h` } as CustomTypesConfig)
  const plain = await connect()
  const text = 'select 7 as hours'
  expect((await hours.query(text)).rows).toEqual([{ hours: '7 h' }])
  expect((await plain.query(text)).rows).toEqual([{ hours: 7 }])
  expect((await hours.query(text)).rows).toEqual([{ hours: '7 h' }])
  await Promise.all([hours.end(), plain.end()])
})
