import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { accountOf } from './delivery-account.ts'
import { startProcess } from './dispatcher-process.ts'
import { dispatcherWorld, eventOf, startReplica, type World } from './dispatcher-service.ts'
import { startReceiver } from './webhook-receiver.ts'

let world: World
let receiver: Awaited<ReturnType<typeof startReceiver>>
const children: ChildProcess[] = []
let answering = false

beforeAll(async () => {
  receiver = await startReceiver(() => (answering ? { status: 200 } : 'hang'))
  // Leases of 6 s: six times the deadline of an attempt.
  world = await dispatcherWorld({ WEBHOOK_TIMEOUT_MS: 1_000 })
  await waitFor(() => world.connected())
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await world.stop()
  await receiver.stop()
})

function start(): ChildProcess {
  const child = startProcess(world.config)
  children.push(child)
  return child
}

test('of three replicas one is frozen while it sends: the others make its deliveries, and woken it changes nothing', async () => {
  const merchant = keyCaller()
  const replica = await startReplica(world)
  const url = `${receiver.url}/frozen`
  const { body } = await replica.call(merchant, 'POST', '/api/webhooks', { url, events: ['*'] })
  await replica.stop()
  const frozen = start()
  const events = Array.from({ length: 10 }, () => eventOf(merchant.merchant_id))
  await Promise.all(events.map(world.publish))
  await waitFor(() => receiver.at('/frozen').length === events.length)
  frozen.kill('SIGSTOP')
  answering = true
  const others = [start(), start()]
  const ids = events.map(event => event.id)
  const account = () => accountOf(world, body.id, receiver.at('/frozen'), ids)
  await waitFor(async () => (await account()).lost === 0, { timeoutMs: 20_000 })
  const before = await account()
  process.stdout.write(`one of three frozen: ${JSON.stringify(before)}\n`)
  expect(before).toMatchObject({ lost: 0, unexplained: 0, mostAttempts: 2, unknown: 10, deliveries: 10 })
  // What it was sending has timed out by its own clock when it wakes. To stop in order it has to be done with all of it.
  frozen.kill('SIGCONT')
  frozen.kill('SIGTERM')
  expect(await once(frozen, 'exit')).toEqual([0, null])
  expect(await account()).toEqual(before)
  for (const other of others) {
    other.kill('SIGTERM')
    expect(await once(other, 'exit')).toEqual([0, null])
  }
})
