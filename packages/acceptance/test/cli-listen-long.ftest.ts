import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type CobroCommand, cobroCommand } from '../src/cobro-command.ts'
import { publishEvents } from '../src/feed-publisher.ts'
import { type ReceivedWebhook, startReceiver } from '../src/webhook-receiver.ts'

const longTest = process.env.COBRO_TEST_LONG === '1' ? test : test.skip
const events = 10_000
const restarts = 10
const listenerFrozenMs = 60_000
const gatewayFrozenMs = 10_000
/** Shorter than the retries of an event, which end after 43 s. */
const deadMs = 10_000
const testTimeoutMs = 1_800_000

let stack: AcceptanceStack
let cobro: CobroCommand
let receiver: Awaited<ReturnType<typeof startReceiver>>
const received: ReceivedWebhook[] = []
beforeAll(async () => {
  if (longTest === test.skip) return
  stack = await acceptanceStack()
  // The start of the stack has made a session of the first merchant.
  const { base_url, second } = stack.stack
  cobro = await cobroCommand({ COBRO_API_KEY: second.api_key, COBRO_BASE_URL: base_url })
  receiver = await startReceiver(store)
})
afterAll(async () => {
  await cobro?.remove()
  await receiver?.stop()
  await stack?.stop()
})

function store(webhook: ReceivedWebhook): number {
  received.push(webhook)
  return 200
}

type Listener = ReturnType<CobroCommand['lines']>

/** Freezes the listener and the gateway, stops the receiver, and kills the gateway, each time once an event has come. */
async function disturb({ child }: Listener, signal: AbortSignal): Promise<void> {
  const gateway = stack.process('gateway')
  const forwarded = async () => {
    const before = received.length
    await waitFor(() => signal.aborted || received.length > before)
    signal.throwIfAborted()
  }
  await forwarded()
  child.kill('SIGSTOP')
  await pause(listenerFrozenMs)
  child.kill('SIGCONT')
  await forwarded()
  await gateway.kill('SIGSTOP')
  await pause(gatewayFrozenMs)
  await gateway.kill('SIGCONT')
  await forwarded()
  await receiver.stop()
  await pause(deadMs)
  receiver = await startReceiver(store, Number(new URL(receiver.url).port))
  for (let turn = 0; turn < restarts; turn++) {
    await forwarded()
    await gateway.kill('SIGKILL')
    await pause((turn % 3) * 300)
    await gateway.start()
  }
}

const deliveryIds = () => [...new Set(received.map(({ headers }) => headers['x-service-delivery']))]

/** Publishes events while the processes are disturbed, and waits until the receiver has them all. Returns their ids. */
async function deliverEvents(listener: Listener): Promise<string[]> {
  const ending = new AbortController()
  const { signal } = ending
  const { merchant_id } = stack.stack.second
  let disturbed = false
  const isDone = () => disturbed
  const publishing = publishEvents(stack, { merchant_id, events, pauseMs: 200, isDone, signal })
  const ended = listener.ended.then(code => {
    throw new Error(`listen ended with ${code}`)
  })
  try {
    await Promise.race([disturb(listener, signal), publishing, ended])
    disturbed = true
    const published = await publishing
    const delivered = waitFor(() => deliveryIds().length >= published.length, { timeoutMs: 600_000, intervalMs: 500 })
    await Promise.race([delivered, ended])
    return published
  } finally {
    ending.abort()
    await publishing
  }
}

longTest(
  `listen forwards each of ${events} events, and in order what did not fail, while gateway, listener and receiver stop`,
  async () => {
    const to = ['--forward-to', receiver.url, '--retries', '--time-scale', '0.01']
    const listener = cobro.lines('listen', '--json', '--from', '0', ...to)
    await listener.ready()
    const published = await deliverEvents(listener)
    listener.child.kill('SIGTERM')
    expect(await listener.ended).toBe(130)

    expect(deliveryIds().toSorted()).toEqual(published.map(id => id.replace('evt_', 'whd_')).toSorted())
    const failures = listener.lines.filter(({ type, status }) => type === 'event' && status !== 200)
    const failed = new Set(failures.map(({ sequence }) => sequence))
    expect(failed.size).toBeGreaterThan(0)
    const sequences = received.map(({ headers }) => Number(headers['x-service-sequence']))
    const neverFailed = sequences.filter(sequence => !failed.has(sequence))
    expect(neverFailed).toEqual(neverFailed.toSorted((a, b) => a - b))
    process.stdout.write(`${published.length} events in ${received.length} calls; ${failed.size} events failed first\n`)
  },
  testTimeoutMs,
)
