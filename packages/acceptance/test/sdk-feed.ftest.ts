import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { openPublisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { createCobro } from '@cobro/sdk'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const events = long ? 10_000 : 1_000
const restarts = long ? 20 : 2
/** The longest is longer than the 45 s that the SDK waits for an answer. */
const freezesMs = long ? [5_000, 10_000, 60_000] : [1_500]
const names = ['payment.approved', 'payment_link.paid', 'checkout_session.created'] as const
const batch = 20
const pauseMs = long ? 200 : 50

let stack: AcceptanceStack
beforeAll(async () => {
  stack = await acceptanceStack()
})
afterAll(() => stack?.stop())

/** Publishes events of the merchant until `isDone`, and at least the number wanted. Returns their ids. */
async function publishEvents(merchant_id: string, isDone: () => boolean): Promise<string[]> {
  const publisher = openPublisher({ ...stack.bus, logger: createLogger('acceptance', 'silent') })
  await waitFor(publisher.connected)
  const ids: string[] = []
  const publish = async (number: number) => {
    const id = newId('evt')
    const name = names[number % names.length] ?? names[0]
    const body = {
      ...{ id, name, merchant_id, occurred_at: new Date().toISOString(), target_id: null },
      ...{ correlation_id: newId('corr'), request_id: null, actor: { type: 'system', id: null } },
      data: { id: newId('txn'), merchant_id, amount_cents: 25_000, currency: 'MXN' },
    }
    await publisher.publish('events', name, { id, body: Buffer.from(JSON.stringify(body)) })
    ids.push(id)
  }
  for (let made = 0; made < events || !isDone(); made += batch) {
    await Promise.all(Array.from({ length: batch }, (_, offset) => publish(made + offset)))
    if (!isDone()) await pause(pauseMs)
  }
  await publisher.close()
  return ids
}

/** Freezes the gateway, and kills it and starts it again, each time once the reader has read on. */
async function disturbGateway(seen: readonly unknown[]): Promise<void> {
  const gateway = stack.process('gateway')
  const readsOn = async () => {
    const before = seen.length
    await waitFor(() => seen.length > before)
  }
  for (const frozenMs of freezesMs) {
    await readsOn()
    await gateway.kill('SIGSTOP')
    await pause(frozenMs)
    await gateway.kill('SIGCONT')
  }
  for (let turn = 0; turn < restarts; turn++) {
    await readsOn()
    await gateway.kill('SIGKILL')
    await pause((turn % 3) * 300)
    await gateway.start()
  }
}

test(`a reader of ${events} events sees each once and in order, while the gateway is killed ${restarts} times and frozen`, async () => {
  // The start of the stack has made a session of the first merchant.
  const { merchant_id, api_key } = stack.stack.second
  const cobro = createCobro({ apiKey: api_key, baseUrl: stack.stack.base_url })
  const reading = new AbortController()
  const seen: { sequence: number; id: string }[] = []
  let disconnections = 0
  const follow = async () => {
    const onDisconnected = () => void disconnections++
    for await (const { sequence, id } of cobro.webhookEvents.follow({ signal: reading.signal, onDisconnected }))
      seen.push({ sequence, id })
  }
  const following = follow()
  let disturbed = false
  const publishing = publishEvents(merchant_id, () => disturbed)
  await disturbGateway(seen)
  disturbed = true
  const published = await publishing
  await waitFor(() => seen.length >= published.length)
  reading.abort()
  await following
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, place) => place + 1))
  expect(seen.map(({ id }) => id).toSorted()).toEqual(published.toSorted())
  expect(disconnections).toBeGreaterThanOrEqual(restarts)
  process.stdout.write(
    `${seen.length} events, each once and in order; the reader lost its connection ${disconnections} times\n`,
  )
})
