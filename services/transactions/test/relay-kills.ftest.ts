import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { inboxOf } from '@cobro/database'
import { startRelay } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { programEnv, waitFor } from '@cobro/testing'
import { type RelayWorld, relayWorld, schema } from './relay-world.ts'

const logger = createLogger('relay-kills', process.env.LOG_LEVEL ?? 'silent')
const events = 20

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

interface Crash {
  /** After what the process dies. */
  point: string
  /** Whether its events are such as are published many in a message. */
  together: boolean
  /** The URL of a login that may publish them. */
  amqpUrl: string
}

/** Runs a process that commits events and kills itself, and waits for its end. */
async function crashAt({ point, together, amqpUrl }: Crash, { database, bus }: RelayWorld): Promise<void> {
  const script = join(import.meta.dirname, 'fixtures', 'crashing-relay.ts')
  const env = {
    ...programEnv(),
    ...{ DATABASE_URL: database.url(schema), AMQP_URL: amqpUrl, AMQP_NAMESPACE: bus.namespace },
    ...{ CRASH_AT: point, TOGETHER: together ? '1' : '', EVENTS: String(events) },
  }
  const program = spawn(process.execPath, ['--conditions=cobro-source', script], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await once(program, 'exit')).toEqual([null, 'SIGKILL'])
}

describe.each([
  ['one by one', { together: false, service: 'transactions' }],
  ['many in a message', { together: true, service: 'webhooks-dispatcher' }],
] as const)('messages that are published %s', (_how, { together, service }) => {
  test.each([
    ['committed', 1],
    ['published', 2],
  ])(
    'and whose process is killed after they are %s are received, %d times, and take effect once',
    async (point, times) => {
      const world = await relayWorld()
      cleanups.push(world.stop)
      const amqpUrl = await world.bus.login(service)
      await crashAt({ point, together, amqpUrl }, world)
      expect(await world.stored()).toHaveLength(events)

      const { db, ...relayDeps } = await world.openRelayDeps(logger, { amqpUrl })
      cleanups.push(db.close, relayDeps.publisher.close, startRelay({ ...relayDeps, logger }).stop)
      await world.waitForEmptyOutbox()
      const { tap } = world
      await waitFor(() => tap.messages.length >= events * times)
      const received = Object.values(Object.groupBy(tap.messages, ({ id }) => id)).map(same => same?.length)
      expect(received).toEqual(Array(events).fill(times))

      const inbox = inboxOf(db)
      const effects = await Promise.all(tap.messages.map(({ id }) => inbox.once(id, async () => {})))
      expect(effects.filter(Boolean)).toHaveLength(events)
    },
  )
})
