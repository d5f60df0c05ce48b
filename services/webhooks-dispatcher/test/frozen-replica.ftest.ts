import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { tallyDeliveries } from './delivery-tally.ts'
import { startProcess } from './dispatcher-process.ts'
import { eventOf } from './dispatcher-service.ts'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

const children: ChildProcess[] = []
const failedOnce = new Set<string>()
let answering = false
const suspended = Promise.withResolvers<void>()

const { world, receiver, subscribed, stop } = await worldWithReceiver({
  answer: (path, _before, { headers }) => {
    if (path === '/frozen') return answering ? { status: 200 } : 'hang'
    // The first attempt of every delivery fails, so that there are retries too.
    const id = String(headers['x-service-delivery'])
    const again = failedOnce.has(id)
    failedOnce.add(id)
    return { status: again ? 200 : 500, after: suspended.promise }
  },
})
// A process that a failed test left would send the deliveries of the next test.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(stop)

async function start(): Promise<ChildProcess> {
  const child = startProcess(world.config, { measured: true, script: 'test/fixtures/measured-dispatcher.ts' })
  children.push(child)
  // The process answers once it has started and handles signals.
  child.send('measure')
  await once(child, 'message')
  return child
}

test('when a replica is suspended while sending, the others send its deliveries, and it changes nothing once resumed', async () => {
  const { merchant, path, id } = await subscribed({ path: '/frozen' })
  const frozen = await start()
  const events = Array.from({ length: 10 }, () => eventOf(merchant.merchant_id))
  await Promise.all(events.map(world.publish))
  await waitFor(() => receiver.at(path).length === events.length)
  frozen.kill('SIGSTOP')
  await world.endLeases()
  answering = true
  const others = [await start(), await start()]
  const ids = events.map(event => event.id)
  const account = () => tallyDeliveries(world, id, receiver.at(path), ids)
  await waitFor(async () => (await account()).lost === 0)
  const before = await account()
  process.stdout.write(`one of three frozen: ${JSON.stringify(before)}\n`)
  expect(before).toMatchObject({ lost: 0, unexplained: 0, mostAttempts: 2, unknown: 10, deliveries: 10 })
  // When it resumes, its requests have failed. It has to finish all of them before it stops.
  receiver.cutHanging(path)
  frozen.kill('SIGCONT')
  frozen.kill('SIGTERM')
  expect(await once(frozen, 'exit')).toEqual([0, null])
  expect(await account()).toEqual(before)
  for (const other of others) {
    other.kill('SIGTERM')
    expect(await once(other, 'exit')).toEqual([0, null])
  }
})

test('no webhook is lost or unexplained when one of three replicas is suspended under load for longer than its leases', async () => {
  const merchant = keyCaller()
  const endpoints = [await subscribed({ merchant }), await subscribed({ merchant }), await subscribed({ merchant })]
  const ids: string[] = []
  const publish = async (count: number) => {
    const events = Array.from({ length: count }, () => eventOf(merchant.merchant_id))
    ids.push(...events.map(event => event.id))
    await Promise.all(events.map(world.publish))
  }
  const [frozen, ...others] = [await start(), await start(), await start()]
  const signal = (replicas: ChildProcess[], name: NodeJS.Signals) => {
    for (const one of replicas) one.kill(name)
  }
  // The others are suspended until the first one has deliveries in flight, which end once it is suspended.
  signal(others, 'SIGSTOP')
  await publish(40)
  await waitFor(() => endpoints.flatMap(({ path }) => receiver.at(path)).length >= 10)
  signal([frozen], 'SIGSTOP')
  await world.endLeases()
  signal(others, 'SIGCONT')
  suspended.resolve()
  await publish(10)
  const accounts = () =>
    Promise.all(endpoints.map(({ id, path }) => tallyDeliveries(world, id, receiver.at(path), ids)))
  const takenOver = async () => (await accounts()).some(({ unknown }) => unknown > 0)
  // The others claim its deliveries.
  await waitFor(takenOver)
  signal([frozen], 'SIGCONT')
  await publish(10)
  await waitFor(async () => (await accounts()).every(({ lost }) => lost === 0))
  for (const one of [frozen, ...others]) {
    one.kill('SIGTERM')
    expect(await once(one, 'exit')).toEqual([0, null])
  }
  const after = await accounts()
  for (const account of after) {
    process.stdout.write(`one of three frozen under load: ${JSON.stringify(account)}\n`)
    expect(account).toMatchObject({ lost: 0, unexplained: 0, deliveries: ids.length })
    expect(account.duplicates).toBeLessThanOrEqual(account.unknown)
    expect(account.mostAttempts).toBeLessThanOrEqual(5)
  }
})
