import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { steps } from '../src/steps.ts'
import { accountOf } from './delivery-account.ts'
import { startProcess } from './dispatcher-process.ts'
import { dispatcherWorld, eventOf, startReplica, type World } from './dispatcher-service.ts'
import { startReceiver } from './webhook-receiver.ts'

let world: World
let receiver: Awaited<ReturnType<typeof startReceiver>>
const children: ChildProcess[] = []

beforeAll(async () => {
  // Every delivery fails the first time that it comes, so that retries are on their way too.
  const seen = new Set<unknown>()
  receiver = await startReceiver((_path, _before, { headers }) => {
    const again = seen.has(headers['x-service-delivery'])
    seen.add(headers['x-service-delivery'])
    return { status: again ? 200 : 500 }
  })
  // Leases of 1.8 s: six times the deadline of an attempt.
  world = await dispatcherWorld({ WEBHOOK_TIMEOUT_MS: 300, WEBHOOK_WAITS_MS: [20, 20, 20, 20] })
  await waitFor(() => world.connected())
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await world.stop()
  await receiver.stop()
})

/** A merchant with an endpoint, made by a replica that is stopped again. */
async function subscribed() {
  const merchant = keyCaller()
  const path = `/${newId('req')}`
  const replica = await startReplica(world)
  const { body } = await replica.call(merchant, 'POST', '/api/webhooks', { url: receiver.url + path, events: ['*'] })
  await replica.stop()
  return { merchant, path, id: body.id as string }
}

function start(env: Record<string, string>): ChildProcess {
  const child = startProcess(world.config, { script: 'test/fixtures/doomed-dispatcher.ts', env })
  children.push(child)
  return child
}

test.each(steps)('killed at "%s", nothing is lost, and what came twice is recorded as unknown', async step => {
  const endpoint = await subscribed()
  const events = Array.from({ length: 30 }, () => eventOf(endpoint.merchant.merchant_id))
  await Promise.all(events.map(world.publish))
  for (const pass of process.env.COBRO_TEST_LONG === '1' ? ['1', '3'] : ['1']) {
    const [, signal] = await once(start({ DOOMED_AT: step, DOOMED_PASS: pass }), 'exit')
    expect(signal).toBe('SIGKILL')
  }
  const healthy = start({})
  const account = () =>
    accountOf(
      world,
      endpoint.id,
      receiver.at(endpoint.path),
      events.map(event => event.id),
    )
  await waitFor(async () => (await account()).lost === 0, { timeoutMs: 20_000 })
  const { mostAttempts, ...rest } = await account()
  process.stdout.write(`killed at ${step}: ${JSON.stringify({ mostAttempts, ...rest })}\n`)
  expect(rest).toMatchObject({ lost: 0, unexplained: 0, deliveries: events.length })
  expect(mostAttempts).toBeLessThanOrEqual(5)
  healthy.kill('SIGTERM')
  expect(await once(healthy, 'exit')).toEqual([0, null])
})
