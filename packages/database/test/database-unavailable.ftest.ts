import { newId } from '@cobro/contracts'
import { smallestOf, tcpProxy, waitFor } from '@cobro/testing'
import { isDatabaseUnavailable } from '../src/database-errors.ts'
import { type Database, openDatabase } from '../src/open-database.ts'
import { type BranchDatabase, branchDatabase, schema } from './branch-database.ts'

let world: BranchDatabase
beforeAll(async () => {
  world = await branchDatabase()
})
afterAll(() => world.stop())

const errorOf = (failing: Promise<unknown>) =>
  failing.then(
    () => 'no error',
    error => error,
  )

test('a server that refuses or cuts connections is unavailable, and one that rejects a statement is not', async () => {
  const gate = await tcpProxy(world.database.url(schema))
  const db = openDatabase({ url: gate.url, schema, entities: [] })
  try {
    const sleeping = db.write(tx => tx.execute('select pg_sleep(60)'))
    const isSleeping = `select 1 from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(60)'`
    await waitFor(async () => (await world.query(isSleeping)).length > 0)
    await gate.shut()
    expect(isDatabaseUnavailable(await errorOf(sleeping))).toBe(true)
    const refused = await errorOf(db.ping())
    expect([isDatabaseUnavailable(refused), String((refused as Error).message)]).toEqual([
      true,
      expect.stringContaining('ECONNREFUSED'),
    ])
    await gate.open()
    await waitFor(() => db.ping().then(() => true))
  } finally {
    await gate.close()
    await db.close()
  }
})

test('a server that accepts connections and does not respond is unavailable after three seconds or the connect_timeout of its URL', async () => {
  const gate = await tcpProxy(world.database.url(schema))
  gate.stall()
  const pingMs = async (query: string) => {
    const url = new URL(gate.url)
    url.search = query
    const db = openDatabase({ url: url.href, schema, entities: [] })
    const before = Date.now()
    expect(isDatabaseUnavailable(await errorOf(db.ping()))).toBe(true)
    const ms = Date.now() - before
    await db.close()
    return ms
  }
  const limits = Object.entries({ '?connect_timeout=1': 1_000, '': 3_000, '?connect_timeout=5': 5_000 })
  await Promise.all(
    limits.map(async ([query, limitMs]) => {
      const ms = await smallestOf(limitMs + 1_500, () => pingMs(query))
      expect(ms).toBeGreaterThan(limitMs - 100)
      expect(ms).toBeLessThan(limitMs + 1_500)
    }),
  )
  await gate.close()
})

test('a connection that the server ends means unavailable, also during a transaction', async () => {
  const db = world.open()
  const ended = db.write(async tx => {
    const [{ pid } = { pid: 0 }] = await tx.execute<{ pid: number }[]>('select pg_backend_pid() as pid')
    await world.query('select pg_terminate_backend($1)', [pid])
    await tx.execute('select 1')
  })
  expect(isDatabaseUnavailable(await errorOf(ended))).toBe(true)
  await db.ping()
})

const emitOne = (db: Database) =>
  db.write(async (tx, emit) => {
    await tx.execute('select 1')
    emit('sucursal.deleted', { id: newId('suc') })
  })

/** Makes new connections of the service like those to a standby. */
const readOnly = (value: 'on' | 'off') => {
  const role = new URL(world.database.url(schema)).username
  return world.query(`do $$ begin
    execute format('alter role %I in database %I set default_transaction_read_only = ${value}', '${role}', current_database());
  end $$`)
}

test.each<[string, (db: Database) => Promise<unknown>]>([
  ['the last write', emitOne],
  ['an earlier write', db => db.write(tx => tx.execute("update transactions.branches set name = 'A'"))],
  ['a ping', db => db.ping()],
])('a connection to a server that takes no writes is not used again after %s', async (_what, use) => {
  const db = world.open({ poolSize: 1 })
  await readOnly('on')
  await expect(use(db)).rejects.toThrow(/read-only|takes no writes/)
  await readOnly('off')
  await db.ping()
  await emitOne(db)
})

test('a server that has no connections left is unavailable', async () => {
  await world.query(`do $$ begin execute format('alter database %I connection limit 0', current_database()); end $$`)
  try {
    expect(isDatabaseUnavailable(await errorOf(world.open().ping()))).toBe(true)
  } finally {
    await world.query(`do $$ begin execute format('alter database %I connection limit -1', current_database()); end $$`)
  }
})

test.each([
  ['a constraint that refuses', `insert into transactions.inbox values ('a'), ('a')`],
  ['a statement that makes no sense', 'selec 1'],
  ['a table that is not there', 'select * from transactions.nothing'],
  ['a right that is missing', 'create table transactions.mine (id int)'],
  ['a statement that took too long', `set local statement_timeout = 1; select pg_sleep(1)`],
])('%s does not mean that the database is unavailable', async (_what, sql) => {
  const error = await errorOf(world.open().write(tx => tx.execute(sql)))
  expect(error).toBeInstanceOf(Error)
  expect(isDatabaseUnavailable(error)).toBe(false)
})

test('a read-only server is unavailable for writes, and its ping fails', async () => {
  const role = `alter role cobro_${schema} in database ${world.database.name}`
  await world.query(`${role} set default_transaction_read_only = on`)
  const db = openDatabase({ url: world.database.url(schema), schema, entities: [] })
  try {
    const refused = await errorOf(db.write(tx => tx.execute(`delete from ${schema}.branches`)))
    expect([(refused as Error).message, isDatabaseUnavailable(refused)]).toEqual([
      expect.stringContaining('read-only'),
      true,
    ])
    await expect(db.ping()).rejects.toThrow('The database takes no writes.')
  } finally {
    await world.query(`${role} reset default_transaction_read_only`)
    await db.close()
  }
})
