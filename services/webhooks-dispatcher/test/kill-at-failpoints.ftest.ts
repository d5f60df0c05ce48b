import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@cobro/testing'
import { failpoints } from '../src/delivery-queue/failpoints.ts'
import { tallyDeliveries } from './delivery-tally.ts'
import { startProcess } from './dispatcher-process.ts'
import { eventOf } from './dispatcher-service.ts'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

// The first attempt of every delivery fails, so that there are retries too. One endpoint always fails: only exhausted
// deliveries are recorded in a transaction, which has a failpoint.
const seen = new Set<unknown>()
const alwaysFails = '/always-fails'
const { world, receiver, subscribed, stop } = await worldWithReceiver({
  answer: (path, _before, { headers }) => {
    const again = seen.has(headers['x-service-delivery'])
    seen.add(headers['x-service-delivery'])
    return { status: again && !path.startsWith(alwaysFails) ? 200 : 500 }
  },
  WEBHOOK_RETRY_DELAYS_MS: [20, 20, 20, 20],
})
/** Longer than a process needs to start and to send, so that most batches are sent alone. */
const betweenBatchesMs = 1_000
const children: ChildProcess[] = []
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await stop()
})

function start(env: Record<string, string>): ChildProcess {
  const child = startProcess(world.config, { script: 'test/fixtures/crashing-dispatcher.ts', env })
  children.push(child)
  return child
}

/** Waits until all deliveries of an endpoint have a status, and expects one event about each: the relay may repeat it under its id. */
async function expectOneEventEach(status: string, name: string, webhookId: string): Promise<void> {
  const deliveries = await waitFor(async () => {
    const rows = await world.db.read(em =>
      em.execute<{ id: string; status: string }[]>('select id, status from webhooks.deliveries where webhook_id = ?', [
        webhookId,
      ]),
    )
    return rows.every(row => row.status === status) && rows.map(row => row.id)
  })
  const emitted = () => {
    const events = world.tap.messages.filter(message => message.name === name && message.data.webhook_id === webhookId)
    return [...new Map(events.map(({ id, data }) => [id, data.id])).values()]
  }
  await waitFor(() => emitted().length >= deliveries.length)
  expect(emitted().toSorted()).toEqual(deliveries.toSorted())
}

/** Returns where processes are killed, one after the other, and at which pass. */
function killsAt(failpoint: string): [point: string, pass: string][] {
  // Only claims of deliveries whose sender died take a transaction, which has the failpoint: a process makes one of them.
  if (failpoint === 'claimed')
    return [
      ['leased', '1'],
      ['claimed', '1'],
    ]
  const passes = process.env.COBRO_TEST_LONG === '1' ? ['1', '3'] : ['1']
  return passes.map(pass => [failpoint, pass])
}

test.each(failpoints)(
  'a dispatcher killed at the failpoint "%s" loses no webhook or event, and duplicates come from attempts recorded as unknown',
  async failpoint => {
    const endpoint = await subscribed()
    const failing = await subscribed({ path: `${alwaysFails}/${failpoint}` })
    const events = Array.from({ length: 30 }, () => eventOf(endpoint.merchant.merchant_id))
    await Promise.all(events.map(world.publish))
    for (const [point, pass] of killsAt(failpoint)) {
      const crashing = start({ CRASH_AT: point, CRASH_PASS: pass })
      const ended = once(crashing, 'exit', { signal: AbortSignal.timeout(120_000) })
      // One batch may take all that waits, so there is more for the passes after it.
      for (let isRunning = true; isRunning; ) {
        for (let i = 0; i < 3; i++) await world.publish(eventOf(failing.merchant.merchant_id))
        isRunning = await Promise.race([ended.then(() => false), sleep(betweenBatchesMs, true)])
      }
      expect((await ended)[1]).toBe('SIGKILL')
      await world.settled()
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
    await expectOneEventEach('succeeded', 'webhook.delivered', endpoint.id)
    await expectOneEventEach('exhausted', 'webhook.exhausted', failing.id)
    healthy.kill('SIGTERM')
    expect(await once(healthy, 'exit')).toEqual([0, null])
  },
)
