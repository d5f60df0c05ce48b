import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { waitFor } from '@cobro/testing'
import { failpoints } from '../src/delivery-queue/failpoints.ts'
import { tallyDeliveries } from './delivery-tally.ts'
import { startProcess } from './dispatcher-process.ts'
import { eventOf } from './dispatcher-service.ts'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

// The first attempt of every delivery fails, so that there are retries too.
const seen = new Set<unknown>()
const { world, receiver, subscribed, stop } = await worldWithReceiver({
  answer: (_path, _before, { headers }) => {
    const again = seen.has(headers['x-service-delivery'])
    seen.add(headers['x-service-delivery'])
    return { status: again ? 200 : 500 }
  },
  WEBHOOK_RETRY_DELAYS_MS: [20, 20, 20, 20],
})
const children: ChildProcess[] = []
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await stop()
})

/** Counts the other busy PostgreSQL processes: a killed process's commit may come after its end. */
async function backendsAtWork(): Promise<number> {
  const busy = `select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
  return (await world.db.read(em => em.execute(busy))).length
}

function start(env: Record<string, string>): ChildProcess {
  const child = startProcess(world.config, { script: 'test/fixtures/crashing-dispatcher.ts', env })
  children.push(child)
  return child
}

test.each(failpoints)(
  'a dispatcher killed at the failpoint "%s" loses no webhook, and duplicates come from attempts recorded as unknown',
  async failpoint => {
    const endpoint = await subscribed()
    const events = Array.from({ length: 30 }, () => eventOf(endpoint.merchant.merchant_id))
    await Promise.all(events.map(world.publish))
    for (const pass of process.env.COBRO_TEST_LONG === '1' ? ['1', '3'] : ['1']) {
      const crashing = start({ CRASH_AT: failpoint, CRASH_PASS: pass })
      const [, signal] = await once(crashing, 'exit', { signal: AbortSignal.timeout(120_000) })
      expect(signal).toBe('SIGKILL')
      await waitFor(async () => (await backendsAtWork()) === 0)
      await world.endLeases()
    }
    const healthy = start({})
    const account = () =>
      tallyDeliveries(
        world,
        endpoint.id,
        receiver.at(endpoint.path),
        events.map(event => event.id),
      )
    await waitFor(async () => (await account()).lost === 0)
    const { mostAttempts, ...rest } = await account()
    process.stdout.write(`killed at ${failpoint}: ${JSON.stringify({ mostAttempts, ...rest })}\n`)
    expect(rest).toMatchObject({ lost: 0, unexplained: 0, deliveries: events.length })
    expect(mostAttempts).toBeLessThanOrEqual(5)
    healthy.kill('SIGTERM')
    expect(await once(healthy, 'exit')).toEqual([0, null])
  },
)
