import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inboxOf, migrate, openDatabase, outboxReader } from '@cobro/database'
import { declareBus, openPublisher, startRelay } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { migratedDatabase, programEnv, tapEvents, testNamespace, waitFor } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'

const schema = 'transactions'
const logger = createLogger('relay-kills', process.env.LOG_LEVEL ?? 'silent')
const events = 20

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function setUp() {
  const database = await migratedDatabase({ schema, migrations, migrate })
  const bus = testNamespace()
  await declareBus(await bus.login('migrate'), bus.namespace, ['transactions.events', 'transactions.commands'])
  const tap = await tapEvents(bus)
  cleanups.push(database.drop, bus.cleanup, tap.close)
  return { database, bus, tap }
}
type World = Awaited<ReturnType<typeof setUp>>

/** Runs a process that commits events and kills itself, and waits for its end. */
async function crashAt(point: string, { database, bus }: World): Promise<void> {
  const script = join(import.meta.dirname, 'fixtures', 'crashing-relay.ts')
  const env = {
    ...programEnv(),
    ...{ DATABASE_URL: database.url(schema), AMQP_URL: await bus.login('transactions'), AMQP_NAMESPACE: bus.namespace },
    ...{ CRASH_AT: point, EVENTS: String(events) },
  }
  const program = spawn(process.execPath, ['--conditions=cobro-source', script], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await once(program, 'exit')).toEqual([null, 'SIGKILL'])
}

/** Starts the relay of another process. */
async function startOther({ database, bus }: World) {
  const db = openDatabase({ url: database.url(schema), schema, entities: [] })
  const publisher = openPublisher({ url: await bus.login('transactions'), namespace: bus.namespace, logger })
  cleanups.push(db.close, publisher.close)
  await waitFor(publisher.connected)
  cleanups.push(startRelay({ outbox: outboxReader(db), publisher, logger }).stop)
  return db
}

test.each([
  ['committed', 1],
  ['published', 2],
])(
  'messages of a process that is killed after they are %s are received, %d times, and take effect once',
  async (point, times) => {
    const world = await setUp()
    await crashAt(point, world)
    const { database, tap } = world
    expect(await database.query('select from transactions.outbox')).toHaveLength(events)

    const db = await startOther(world)
    await waitFor(async () => (await database.query('select from transactions.outbox')).length === 0)
    await waitFor(() => tap.messages.length >= events * times)
    const received = Object.values(Object.groupBy(tap.messages, ({ id }) => id)).map(same => same?.length)
    expect(received).toEqual(Array(events).fill(times))

    const inbox = inboxOf(db)
    const effects = await Promise.all(tap.messages.map(({ id }) => inbox.once(id, async () => {})))
    expect(effects.filter(Boolean)).toHaveLength(events)
  },
)
