import { newId } from '@cobro/contracts'
import { type Database, eventMessage, inboxOf, openDatabase, outboxReader } from '@cobro/database'
import { openPublisher, type Publisher, startRelay } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { type EventTap, type TestDatabase, tcpProxy, waitFor } from '@cobro/testing'
import { type RelayWorld, relayWorld, schema } from './relay-world.ts'

const logger = createLogger('relay-test', process.env.LOG_LEVEL ?? 'silent')

let world: RelayWorld
let database: TestDatabase
let tap: EventTap
let db: Database
beforeEach(async () => {
  world = await relayWorld()
  database = world.database
  tap = world.tap
  db = openDatabase({ url: database.url(schema), schema, entities: [] })
})

/** Functions that stop what a test started; called in reverse order. */
const opened: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  await db.close()
  await world.stop()
})

type Publish = Publisher['publish']

/**
 * Starts a relay with its own pool and broker connection, as in a separate process. `published` are
 * the ids it published, and `triedAt` the times at which it tried to lead.
 */
async function relay(options: { databaseUrl?: string; amqpUrl?: string; publish?: (real: Publish) => Publish } = {}) {
  const { db: own, outbox, publisher, openOwn } = await world.openRelayDeps(logger, options)
  const published: string[] = []
  const publish = options.publish?.(publisher.publish) ?? publisher.publish
  const recordingPublisher: Publisher = {
    ...publisher,
    publish: async (exchange, name, message) => {
      await publish(exchange, name, message)
      published.push(message.id)
    },
  }
  const triedAt: number[] = []
  const recordingOutbox: typeof outbox = {
    ...outbox,
    lead: lost => {
      triedAt.push(Date.now())
      return outbox.lead(lost)
    },
  }
  const running = startRelay({ outbox: recordingOutbox, publisher: recordingPublisher, openOwn, logger })
  opened.push(own.close, publisher.close, running.stop)
  return { db: own, published, triedAt, stop: running.stop }
}

/** Emits in a process that has no relay, as if it died after its commit. Or in the process of a relay. */
const emitOne = async (process = db) =>
  (await process.write(async (_tx, emit) => emit('sucursal.created', { id: newId('suc') }))).id
const emitMany = async (count: number, process = db) => {
  const ids: string[] = []
  for (let left = count; left > 0; left -= 50) {
    await process.write(async (_tx, emit) => {
      for (let i = 0; i < 50; i++) ids.push(emit('sucursal.created', { id: newId('suc') }).id)
    })
  }
  return ids
}
const stored = () => world.stored()
const waitForEmptyOutbox = () => world.waitForEmptyOutbox()
/** The ids of the PostgreSQL processes that hold the outbox's lock. */
const leaders = async () =>
  (
    await database.query(
      `select pid from pg_locks where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())`,
    )
  ).map(row => row.pid as number)
const receivedIds = () => tap.messages.map(message => message.id)
/** Returns the tap's ids once there are `count`: the broker confirms before the tap receives. */
const waitForReceived = (count: number) => waitFor(() => receivedIds().length >= count && receivedIds())
const waitForLeader = (other?: number) => waitFor(async () => (await leaders()).find(pid => pid !== other))

test('one of two relays leads, also after the connection of the leader has ended', async () => {
  const relays = [await relay(), await relay()]
  const leader = await waitForLeader()
  const first = await emitMany(100)
  await waitForEmptyOutbox()
  expect(relays.map(one => one.published.length).sort()).toEqual([0, 100])
  expect(await waitForReceived(100)).toEqual(first)
  await database.query('select pg_terminate_backend($1)', [leader])
  await waitForLeader(leader)
  expect(await leaders()).toHaveLength(1)
  // The relay that lost the lead has stopped: if both went on, each would publish some of the rows.
  const before = relays.map(one => one.published.length)
  const more: string[] = []
  for (let round = 0; round < 5; round++) {
    more.push(await emitOne())
    await waitForEmptyOutbox()
  }
  expect(relays.map((one, index) => one.published.length - before[index]!).sort()).toEqual([0, 5])
  expect(await waitForReceived(105)).toEqual([...first, ...more])
})

test('a process that does not lead publishes its own messages, and deletes them', async () => {
  const leading = await relay()
  await waitForLeader()
  const other = await relay()
  const ids = await emitMany(300, other.db)
  await waitForEmptyOutbox()
  // The leader takes messages that the process could not publish within a second, as on a busy machine.
  expect(other.published.length).toBeGreaterThan(0)
  expect(new Set([...other.published, ...leading.published])).toEqual(new Set(ids))
  await waitFor(() => new Set(receivedIds()).size === 300)
})

test('a message of a long transaction is left to its process like any other', async () => {
  const leading = await relay()
  await waitForLeader()
  const other = await relay()
  const id = await other.db.write(async (tx, emit) => {
    await tx.execute('select pg_sleep(2)')
    return emit('sucursal.created', { id: newId('suc') }).id
  })
  const [row] = await database.query('select now() - created_at < $1::interval as young from transactions.outbox', [
    '1 second',
  ])
  // Published and deleted already, or at least not old enough for the leader.
  expect([undefined, true]).toContain(row?.young)
  await waitForEmptyOutbox()
  expect(new Set([...other.published, ...leading.published])).toEqual(new Set([id]))
})

test('messages that a process cannot publish after its commit are published by the leader', async () => {
  const gate = await tcpProxy(await world.bus.login('transactions'))
  opened.push(gate.close)
  const cutOff = await relay({ amqpUrl: gate.url })
  await waitForLeader()
  await gate.shut()
  const ids = await emitMany(100, cutOff.db)
  const rejecting = await relay({
    publish: () => () => Promise.reject(new Error('RabbitMQ did not confirm a message')),
  })
  ids.push(...(await emitMany(100, rejecting.db)))
  // Longer than two polls of the leader.
  await expect(waitFor(async () => (await stored()).length < 200, { timeoutMs: 2_500 })).rejects.toThrow()
  await gate.open()
  await waitForEmptyOutbox()
  expect(cutOff.published.toSorted()).toEqual(ids.toSorted())
  expect(await waitForReceived(200)).toHaveLength(200)
})

test('events of webhook attempts are published one by one if the login may not publish them together', async () => {
  const { bus } = world
  const amqpUrl = await bus.login('webhooks-dispatcher')
  const { db: own, outbox, publisher } = await world.openRelayDeps(logger, { amqpUrl })
  const together = openPublisher({ url: await bus.login('transactions'), namespace: bus.namespace, logger })
  await waitFor(together.connected)
  const rejected: string[] = []
  const publish: Publish = async (exchange, ...message) =>
    together.publish(exchange, ...message).catch(error => {
      rejected.push(exchange)
      throw error
    })
  const running = startRelay({ outbox, publisher, openOwn: () => ({ ...together, publish }), logger })
  opened.push(own.close, publisher.close, running.stop)
  const sent = { attempt: 1, response_status: 200, error: null, duration_ms: 7 }
  const ids = await own.write(async (_tx, emit) =>
    Array.from({ length: 50 }, () => {
      const data = { id: newId('whd'), webhook_id: newId('whk'), event_id: newId('evt'), ...sent }
      return emit('webhook.delivered', data).id
    }),
  )
  await waitForEmptyOutbox()
  expect(rejected).toEqual(['webhook-attempts'])
  expect((await waitForReceived(50)).toSorted()).toEqual(ids.toSorted())
})

test('a stopping process publishes what it has committed, and deletes it', async () => {
  const { promise: confirm, resolve: confirmed } = Promise.withResolvers<void>()
  const one = await relay({
    publish:
      real =>
      async (...message) =>
        real(...message).then(() => confirm),
  })
  const ids = await emitMany(50, one.db)
  const stopped = one.stop()
  expect(await stored()).toEqual(ids)
  confirmed()
  await stopped
  expect(await stored()).toEqual([])
  // A commit after that is left to others.
  const late = await emitOne(one.db)
  expect(await stored()).toEqual([late])
})

test('more messages than a process publishes at once all arrive, each once', async () => {
  const one = await relay()
  await waitForLeader()
  const ids: string[] = []
  await one.db.write(async (_tx, emit) => {
    for (let i = 0; i < 1_200; i++) ids.push(emit('sucursal.created', { id: newId('suc') }).id)
  })
  await waitForEmptyOutbox()
  expect(one.published.toSorted()).toEqual(ids.toSorted())
  expect(new Set(await waitForReceived(1_200))).toEqual(new Set(ids))
})

/** Gives messages in the outbox another name. */
const rename = (ids: string[], name: string) =>
  database.query('update transactions.outbox set name = $2 where message_id = any($1)', [ids, name])

test('messages that the broker does not confirm in time hold up no others, nor the stop of a relay', async () => {
  const stuck = await emitMany(50)
  await rename(stuck, 'sucursal.updated')
  let hangs = true
  let tried = 0
  const leading = await relay({
    publish: real => (exchange, name, message) => {
      if (!hangs || name !== 'sucursal.updated') return real(exchange, name, message)
      tried += 1
      return new Promise(() => undefined)
    },
  })
  const ids = await emitMany(100)
  await waitFor(async () => (await stored()).length === stuck.length)
  ids.push(...(await emitMany(100)))
  await waitFor(async () => (await stored()).length === stuck.length)
  expect(new Set(await waitForReceived(200))).toEqual(new Set(ids))
  const before = tried
  await waitFor(() => tried > before)
  // One of them is tried again, and its confirm does not come either.
  expect(tried).toBe(before + 1)
  await leading.stop()
  hangs = false
  await relay()
  await waitForEmptyOutbox()
  expect(new Set(await waitForReceived(250))).toEqual(new Set([...ids, ...stuck]))
}, 120_000)

test('messages that their login may not publish hold up no others, and leave once it may', async () => {
  const ids = await emitMany(800)
  const forbidden = ids.splice(50, 600)
  await rename(forbidden, 'merchant.updated')
  await relay()
  await relay()
  await waitFor(async () => (await stored()).length === forbidden.length)
  ids.push(...(await emitMany(100)))
  await waitFor(async () => (await stored()).length === forbidden.length)
  expect(await stored()).toEqual(forbidden)
  expect(new Set(await waitForReceived(300))).toEqual(new Set(ids))
  await rename(forbidden, 'sucursal.updated')
  await waitForEmptyOutbox()
  expect(new Set(await waitForReceived(900))).toEqual(new Set([...ids, ...forbidden]))
}, 120_000)

test('a relay that does not lead tries to at least every two seconds', async () => {
  await relay()
  await waitForLeader()
  const { triedAt } = await relay()
  // The shortest pause counts: any may be longer while the machine is short of processor time.
  await waitFor(() => triedAt.some((time, nth) => nth > 0 && time - triedAt[nth - 1]! < 2_000))
})

test('a relay that loses the database hands over in the middle of 2,000 messages without losing any', async () => {
  const gate = await tcpProxy(database.url(schema))
  opened.push(gate.close)
  const { promise: lost, resolve: markLost } = Promise.withResolvers<void>()
  // More than one batch: the first batch is deleted by then, and the next stays in flight.
  const most = 600
  let begun = 0
  const leading = await relay({
    databaseUrl: gate.url,
    publish: real => async (exchange, name, message) => {
      begun += 1
      if (begun > most) await lost
      await real(exchange, name, message)
    },
  })
  await waitForLeader()
  const other = await relay()
  const emitting = emitMany(2_000)
  await waitFor(() => leading.published.length === most)
  expect(other.published).toEqual([])
  await gate.shut()
  markLost()
  await waitFor(() => other.published.length > 0)
  const ids = await emitting
  await waitForEmptyOutbox()
  expect(other.published.length).toBeLessThan(2_000)
  await waitFor(() => new Set(receivedIds()).size === 2_000)
  expect([...new Set(receivedIds())].sort()).toEqual(ids.sort())
  expect(new Set(receivedIds())).toEqual(new Set([...leading.published, ...other.published]))
})

test('outbox rows stay while the broker is unreachable and are published once it is back', async () => {
  const gate = await tcpProxy(await world.bus.login('transactions'))
  opened.push(gate.close)
  await relay({ amqpUrl: gate.url })
  await emitOne()
  await waitForEmptyOutbox()
  await gate.shut()
  const ids = await emitMany(100)
  // Longer than two polls of the leader.
  await expect(waitFor(async () => (await stored()).length < 100, { timeoutMs: 2_500 })).rejects.toThrow()
  expect(await stored()).toEqual(ids)
  await gate.open()
  await waitForEmptyOutbox()
  expect((await waitForReceived(101)).slice(1)).toEqual(ids)
})

test('the relay deletes an outbox row only after the broker confirmed that very message', async () => {
  const refused = new Set<string>()
  const { promise: confirm, resolve: confirmed } = Promise.withResolvers<void>()
  const ids = await emitMany(50)
  refused.add(ids[7]!).add(ids[31]!)
  const one = await relay({
    publish: real => async (exchange, name, message) => {
      await real(exchange, name, message)
      await confirm
      if (refused.has(message.id)) throw new Error('RabbitMQ did not confirm a message')
    },
  })
  await waitFor(() => receivedIds().length === 50)
  expect(await stored()).toEqual(ids)
  confirmed()
  await waitFor(async () => (await stored()).length < 50)
  expect(await stored()).toEqual([...refused])
  refused.clear()
  await waitForEmptyOutbox()
  expect(one.published.slice().sort()).toEqual(ids.sort())
})

test('a message published again after a crash keeps its id, and its effect happens once', async () => {
  const id = await emitOne()
  const url = await world.bus.login('transactions')
  const openOwn = () => openPublisher({ url, namespace: world.bus.namespace, logger })
  const crashing = openOwn()
  opened.push(crashing.close)
  await waitFor(crashing.connected)
  const outbox = { ...outboxReader(db), remove: () => Promise.reject(new Error('killed')) }
  const crashed = startRelay({ outbox, publisher: crashing, openOwn, logger })
  await waitFor(() => receivedIds().length > 0)
  await crashed.stop()
  expect(await stored()).toEqual([id])
  await relay()
  await waitForEmptyOutbox()
  await waitFor(() => receivedIds().length > 1)
  expect(new Set(receivedIds())).toEqual(new Set([id]))
  const inbox = inboxOf(db)
  const effects: string[] = []
  const firstDeliveries = await Promise.all(
    tap.messages.map(({ id }) => inbox.once(id, async () => void effects.push(id))),
  )
  expect(firstDeliveries.filter(Boolean)).toHaveLength(1)
  expect(effects).toEqual([id])
})

test('the relay publishes a message whose transaction commits after newer ones', async () => {
  const { promise: held, resolve: commit } = Promise.withResolvers<void>()
  const { promise: emitted, resolve: markEmitted } = Promise.withResolvers<void>()
  await relay()
  const message = eventMessage('sucursal.created', { id: newId('suc') })
  const early = db.write(async tx => {
    await tx.execute(
      `insert into transactions.outbox (message_id, road, name, body, trace) values (?, 'events', ?, convert_to(?, 'UTF8'), '{}')`,
      [message.id, message.name, JSON.stringify(message)],
    )
    markEmitted()
    await held
  })
  await emitted
  const late = await emitOne()
  await waitForEmptyOutbox()
  commit()
  await early
  expect(await waitForReceived(2)).toEqual([late, message.id])
  await waitForEmptyOutbox()
})

test('a stopped relay releases the lead at once', async () => {
  const first = await relay()
  await emitOne()
  await waitForEmptyOutbox()
  await first.stop()
  expect(await leaders()).toEqual([])
  const second = await relay()
  await emitOne()
  await waitForEmptyOutbox()
  expect(second.published).toHaveLength(1)
})
