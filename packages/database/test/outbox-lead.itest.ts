import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import type { PoolClient } from 'pg'
import { outboxReader } from '../src/outbox-reader.ts'
import { type BranchDatabase, branchDatabase } from './branch-database.ts'

let world: BranchDatabase
beforeAll(async () => {
  world = await branchDatabase()
})
afterAll(() => world.stop())

const onLost = () => {
  throw new Error('the lead was lost')
}

test('one of many outbox readers leads, and another can lead as soon as it resigns', async () => {
  const readers = Array.from({ length: 5 }, () => outboxReader(world.open({ poolSize: 2 })))
  const leads = await Promise.all(readers.map(reader => reader.lead(onLost)))
  expect(leads.filter(Boolean)).toHaveLength(1)
  // Repeated attempts do not use up connections.
  for (let i = 0; i < 5; i++) {
    expect((await Promise.all(readers.map(reader => reader.lead(onLost)))).filter(Boolean)).toEqual([])
  }
  await leads.find(Boolean)?.resign()
  const next = await readers[0]!.lead(onLost)
  expect(next).toBeDefined()
  await next?.resign()
  await next?.resign()
})

test('a leader whose connection ends is notified, and another can lead', async () => {
  const [one, other] = [outboxReader(world.open()), outboxReader(world.open())]
  let lost = 0
  const leadership = await one.lead(() => lost++)
  expect(await other.lead(onLost)).toBeUndefined()
  await world.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
     and database = (select oid from pg_database where datname = current_database())`,
  )
  await waitFor(() => lost === 1)
  const next = await waitFor(() => other.lead(onLost))
  await leadership?.resign()
  expect(await one.lead(onLost)).toBeUndefined()
  await next.resign()
})

test('a leader that has resigned is not notified of the end of its connection', async () => {
  const db = world.open()
  const pool = await db.orm.em.getConnection().getNativeClient()
  const clients: PoolClient[] = []
  pool.on('acquire', client => clients.push(client))
  let lost = 0
  const leadership = await outboxReader(db).lead(() => lost++)
  await leadership?.resign()
  // The server may end a connection while it is being closed.
  for (const client of clients) client.emit('error', new Error('terminating connection due to administrator command'))
  expect([clients.length > 0, lost]).toEqual([true, 0])
})

test('a reader whose attempt to lead fails keeps no connection, and can lead afterwards', async () => {
  const reader = outboxReader(world.open({ poolSize: 1 }))
  await world.query('revoke execute on function pg_try_advisory_lock(bigint) from public')
  for (let i = 0; i < 2; i++) await expect(reader.lead(onLost)).rejects.toThrow('permission denied')
  await world.query('grant execute on function pg_try_advisory_lock(bigint) to public')
  const leadership = await reader.lead(onLost)
  await leadership?.resign()
  expect(leadership).toBeDefined()
})

test('take returns the oldest rows up to the limit, and remove deletes rows', async () => {
  const db = world.open()
  const reader = outboxReader(db)
  let woken = 0
  reader.onMessages(() => woken++)
  const messages = await db.write(async (_tx, emit) =>
    Array.from({ length: 5 }, () => emit('sucursal.created', { id: newId('suc') })),
  )
  expect(woken).toBe(1)
  const rows = await reader.take(3, 0)
  expect(rows.map(row => row.message_id)).toEqual(messages.slice(0, 3).map(message => message.id))
  expect(rows[0]).toEqual({
    id: expect.any(String),
    message_id: messages[0]!.id,
    exchange: 'events',
    name: 'sucursal.created',
    correlation_id: null,
    body: Buffer.from(JSON.stringify(messages[0])),
    trace: {},
  })
  await reader.remove([rows[0]!.id, rows[2]!.id])
  expect((await reader.take(10, 0)).map(row => row.message_id)).toEqual([1, 3, 4].map(index => messages[index]!.id))
  await reader.remove([])
  // A lower id later in the table, as after a long transaction.
  await world.query(`update transactions.outbox set message_id = message_id where message_id = $1`, [messages[1]!.id])
  expect((await reader.take(1, 0)).map(row => row.message_id)).toEqual([messages[1]!.id])
})
