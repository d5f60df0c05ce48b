import { setTimeout as pause } from 'node:timers/promises'
import { createCobro } from '@cobro/sdk'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { publishEvents } from '../src/feed-publisher.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const events = long ? 10_000 : 1_000
const restarts = long ? 20 : 2
/** The longest is longer than the 45 s that the SDK waits for an answer. */
const freezesMs = long ? [5_000, 10_000, 60_000] : [1_500]
const pauseMs = long ? 200 : 50

let stack: AcceptanceStack
beforeAll(async () => {
  stack = await acceptanceStack()
})
afterAll(() => stack?.stop())

/** Freezes the gateway, and kills it and starts it again, each time once the reader has read on. */
async function disturbGateway(seen: readonly unknown[], signal: AbortSignal): Promise<void> {
  const gateway = stack.process('gateway')
  const readsOn = async () => {
    const before = seen.length
    await waitFor(() => signal.aborted || seen.length > before)
    signal.throwIfAborted()
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
  const ending = new AbortController()
  const { signal } = ending
  const seen: { sequence: number; id: string }[] = []
  let disconnections = 0
  const follow = async () => {
    const onDisconnected = () => void disconnections++
    for await (const { sequence, id } of cobro.webhookEvents.follow({ signal, onDisconnected }))
      seen.push({ sequence, id })
  }
  const following = follow()
  let published: string[] = []
  let disturbed = false
  const isDone = () => disturbed
  const publishing = publishEvents(stack, { merchant_id, events, pauseMs, isDone, signal })
  try {
    await Promise.race([disturbGateway(seen, signal), publishing, following])
    disturbed = true
    published = await publishing
    await waitFor(() => seen.length >= published.length)
  } finally {
    ending.abort()
    await Promise.all([publishing, following])
  }
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, place) => place + 1))
  expect(seen.map(({ id }) => id).toSorted()).toEqual(published.toSorted())
  expect(disconnections).toBeGreaterThanOrEqual(restarts)
  process.stdout.write(
    `${seen.length} events, each once and in order; the reader lost its connection ${disconnections} times\n`,
  )
})
