import { once } from 'node:events'
import { createServer } from 'node:http'
import { payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { mixedUp, steps, stepsOf } from '../src/trace-shape.ts'
import { merchantWithReceiver, openSession, ownTracedStack } from '../src/traced-stack.ts'
import { journeys } from './lifecycle-traces.ts'

const services = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log'] as const
const atOnce = 200
/** A number that two cores can process in time; more would fail, which this test does not check. */
const paidAtOnce = 10

const world = ownTracedStack()
const pay = (idOrUrl: string, card = '4242424242424242') => payByCard(world().stack.stack.hosted_url, idOrUrl, card)

test(`keeps the traces of ${atOnce} concurrent lifecycles separate`, async () => {
  const merchant = await merchantWithReceiver(world())
  const patience = { intervalMs: 250 }
  // On a slow machine some calls wait too long for a connection, are rejected and repeated.
  const opened = () =>
    waitFor(async () => {
      const session = await openSession(merchant)
      return session.id !== undefined && session
    }, patience)
  const paid = ({ id }: { id: string }) => waitFor(async () => (await pay(id)).status !== 503, patience)
  const lifecycles = await Promise.all(Array.from({ length: atOnce }, opened))
  for (let first = 0; first < atOnce; first += paidAtOnce)
    await Promise.all(lifecycles.slice(first, first + paidAtOnce).map(paid))
  const expected = steps(journeys.approved)
  await waitFor(
    () => {
      const spans = world().collector.spans()
      const byId = Map.groupBy(spans, ({ attributes }) => attributes.correlation_id)
      for (const { correlation_id: id } of lifecycles) expect(stepsOf(byId.get(id) ?? [], id)).toEqual(expected)
      expect(mixedUp(spans)).toEqual([])
      return true
    },
    { intervalMs: 500 },
  )
}, 600_000)

test('delays neither a payment nor a stop when the collector is unreachable or never answers', async () => {
  const { merchant } = world().clients
  const took = async () => {
    const { id } = await openSession(merchant)
    const began = performance.now()
    expect((await pay(id)).status).toBe(200)
    return performance.now() - began
  }
  // A machine that stands still for seconds makes some payments slow. One that waits for an export makes each of them slow.
  const baseline: number[] = []
  while (baseline.length < 9) baseline.push(await took())
  const boundMs = 2 * Math.min(...baseline) + 500
  const severalInTime = async (enough = () => true) => {
    let inTime = 0
    await waitFor(
      async () => {
        if ((await took()) < boundMs) inTime++
        return inTime >= 9 && enough()
      },
      { intervalMs: 0, timeoutMs: 120_000 },
    )
  }
  await world().collector.stop()
  await severalInTime()

  let asked = 0
  const silent = createServer(() => void asked++)
  world().closing.push(
    async () => silent.closeAllConnections(),
    async () => silent.close(),
  )
  silent.listen(Number(new URL(world().collector.url).port), '127.0.0.1')
  await once(silent, 'listening')
  await severalInTime(() => asked >= 4)
  const began = performance.now()
  await Promise.all(services.map(name => world().stack.process(name).stop()))
  // Unexported spans get three seconds. A stop that waits for the export ends after 40, at the deadline of every stop.
  expect(performance.now() - began).toBeLessThan(30_000)
}, 600_000)
