import { type TestDatabase, tcpProxy, testDatabase, waitFor } from '@cobro/testing'
import { isDatabaseUnavailable } from '../src/database-errors.ts'
import { type Database, openDatabase } from '../src/open-database.ts'

let database: TestDatabase
let db: Database
let admin: Database

beforeAll(async () => {
  database = await testDatabase({ schemas: ['checkout'] })
  db = openDatabase({ url: database.url('checkout'), schema: 'checkout', entities: [], poolSize: 1 })
  admin = openDatabase({ url: database.adminUrl, schema: 'checkout', entities: [] })
})
afterAll(async () => {
  await db.close()
  await admin.close()
  await database.drop()
})

const endConnections = () =>
  admin.read(em =>
    em.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'cobro_checkout' and datname = current_database()`,
    ),
  )

test('a connection that dies inside a transaction frees its place in the pool', async () => {
  for (let round = 0; round < 3; round++) {
    const lost = db.write(async tx => {
      await tx.execute('select 1')
      await endConnections()
      await tx.execute('select 1')
    })
    await expect(lost).rejects.toThrow()
    await db.ping()
  }
})

test('a connection that dies during a query or while idle is replaced', async () => {
  const isSleeping = `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query = 'select pg_sleep(60)'`
  const refused = expect(db.read(em => em.execute('select pg_sleep(60)'))).rejects.toThrow()
  await waitFor(async () => (await admin.read(em => em.execute(isSleeping))).length > 0)
  await endConnections()
  await refused
  await waitFor(() => db.ping().then(() => true))
  await endConnections()
  await waitFor(() => db.ping().then(() => true))
})

test('closing a database closes its connections', async () => {
  const closed = openDatabase({ url: database.url('checkout'), schema: 'checkout', entities: [], poolSize: 3 })
  await Promise.all(Array.from({ length: 3 }, () => closed.ping()))
  const connections = () =>
    admin.execute(`select 1 from pg_stat_activity where usename = 'cobro_checkout' and datname = current_database()`)
  const before = (await connections()).length
  await closed.close()
  await waitFor(async () => (await connections()).length === before - 3)
})

test('a server that stops responding is unavailable, and queries succeed once it responds again', async () => {
  const gate = await tcpProxy(database.url('checkout'))
  // Without the connect_timeout of the tests: the default is three seconds.
  const behind = openDatabase({
    url: gate.url.replace(/\?.*/, ''),
    schema: 'checkout',
    entities: [],
    poolSize: 2,
    queryTimeoutMs: 300,
  })
  // On a busy machine even a server that responds may need longer than the limits.
  await waitFor(() => behind.ping().then(() => true))
  gate.stall()
  const failures = await Promise.allSettled([behind.ping(), behind.write(tx => tx.execute('select 1'))])
  expect(failures.map(failure => failure.status === 'rejected' && isDatabaseUnavailable(failure.reason))).toEqual([
    true,
    true,
  ])
  // The unresponsive connection must not be reused, or every later query would queue behind the lost one.
  const pool = await behind.orm.em.getConnection().getNativeClient()
  await waitFor(() => pool.totalCount === 0)
  await gate.open()
  await waitFor(() => behind.ping().then(() => true))
  await behind.close()
  await gate.close()
})

test('a connection on which a commit timed out is not given to the call that waits for one', async () => {
  const gate = await tcpProxy(database.url('checkout'))
  const behind = openDatabase({ url: gate.url, schema: 'checkout', entities: [], poolSize: 1, queryTimeoutMs: 5_000 })
  const waiting = Promise.withResolvers<Promise<void>>()
  const committing = behind.write(async tx => {
    await tx.execute('select 1')
    waiting.resolve(behind.ping())
    gate.holdResponses()
  })
  await expect(committing).rejects.toThrow('Query read timeout')
  await await waiting.promise
  await behind.close()
  await gate.close()
})
