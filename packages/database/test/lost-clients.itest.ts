import { type TestDatabase, testDatabase, waitFor } from '@cobro/testing'
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

test('a connection that dies inside a transaction leaves its place in the pool to another', async () => {
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

test('a connection that dies in the middle of a query, or idle, does no harm', async () => {
  const isSleeping = `select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(60)'`
  const refused = expect(db.read(em => em.execute('select pg_sleep(60)'))).rejects.toThrow()
  await waitFor(async () => (await admin.read(em => em.execute(isSleeping))).length > 0)
  await endConnections()
  await refused
  await waitFor(() => db.ping().then(() => true))
  await endConnections()
  await waitFor(() => db.ping().then(() => true))
})
