import { createRequire } from 'node:module'
import { testDatabase } from '@cobro/testing'
import type { Client as AnyClient, CustomTypesConfig, QueryResult } from 'pg'

/** The copy of `pg` that MikroORM uses, and with it the services. */
const mikroOrm = createRequire(import.meta.url).resolve('@mikro-orm/postgresql')
const { Client } = createRequire(mikroOrm)('pg') as { Client: typeof AnyClient }

const database = await testDatabase()
const clients: AnyClient[] = []
afterAll(async () => {
  await Promise.all(clients.map(client => client.end()))
  await database.drop()
})

async function connect(types?: CustomTypesConfig) {
  const client = new Client({ connectionString: database.adminUrl, ...(types ? { types } : {}) })
  clients.push(client)
  await client.connect()
  return client
}

const emptyRowOf = (result: QueryResult) =>
  (result as unknown as { _prebuiltEmptyResultObject: object })._prebuiltEmptyResultObject

test('the fields and the empty row of a repeated statement are made once, also for another connection', async () => {
  const [one, other] = [await connect(), await connect()]
  const text = `select 1 as first, 'a' as second`
  const results = [await one.query(text), await one.query(text), await other.query(text)]
  for (const { rows } of results) expect(rows).toEqual([{ first: 1, second: 'a' }])
  expect(new Set(results.map(({ fields }) => fields)).size).toBe(1)
  expect(new Set(results.map(emptyRowOf)).size).toBe(1)
})

test('rows do not share what their readers change, and fields cannot be changed', async () => {
  const client = await connect()
  const { rows, fields } = await client.query('select 1 as first')
  Object.assign(rows[0], { first: 2, more: 3 })
  expect(() => Object.assign(fields[0]!, { name: 'other' })).toThrow(TypeError)
  expect((await client.query('select 1 as first')).rows).toEqual([{ first: 1 }])
})

test('a named statement whose column has got another type gets other fields and values', async () => {
  const [before, after] = [await connect(), await connect()]
  const read = async (client: AnyClient) => client.query({ name: 'read', text: 'select value from public.known' })
  await before.query('create table public.known (value integer)')
  await before.query('insert into public.known values (5)')
  for (const { rows } of [await read(before), await read(before)]) expect(rows).toEqual([{ value: 5 }])
  await before.query('alter table public.known alter value type text')
  await expect(read(before)).rejects.toThrow('cached plan must not change result type')
  for (const { rows } of [await read(after), await read(after)]) expect(rows).toEqual([{ value: '5' }])
})

test('each connection parses values with its own types, also with those that it gets later', async () => {
  const hours = await connect({ getTypeParser: () => (value: unknown) => `${value} h` } as CustomTypesConfig)
  const plain = await connect()
  const text = 'select 7 as hours'
  expect((await hours.query(text)).rows).toEqual([{ hours: '7 h' }])
  expect((await plain.query(text)).rows).toEqual([{ hours: 7 }])
  plain.setTypeParser(23, value => `${value} hours`)
  expect((await plain.query(text)).rows).toEqual([{ hours: '7 hours' }])
  expect((await hours.query(text)).rows).toEqual([{ hours: '7 h' }])
})

test('every shape of a result is the same when it is read again', async () => {
  const client = await connect()
  const shapes = [
    { query: 'select 1 as a, 2 as a', rows: [{ a: 2 }] },
    { query: 'select from generate_series(1, 2)', rows: [{}, {}] },
    { query: 'select null::text as a where false', rows: [] },
    { query: { text: 'select 1 as a, $1::text as b', values: ['x'], rowMode: 'array' }, rows: [[1, 'x']] },
    { query: { text: 'select $1::text as a', values: ['x'] }, rows: [{ a: 'x' }] },
  ]
  for (const { query, rows } of [...shapes, ...shapes]) {
    expect((await client.query(query)).rows).toEqual(rows)
    await expect(client.query('select 1 / 0 as a')).rejects.toThrow('division by zero')
  }
  for (const _time of [1, 2]) {
    const both = (await client.query('select 1 as a; select 2 as b')) as unknown as QueryResult[]
    expect(both.map(({ rows }) => rows)).toEqual([[{ a: 1 }], [{ b: 2 }]])
  }
})

test('more kinds of rows than are kept are read as well', async () => {
  const client = await connect()
  for (let n = 0; n < 1_100; n++)
    expect((await client.query(`select ${n} as c${n % 550}`)).rows).toEqual([{ [`c${n % 550}`]: n }])
})
