import { setTimeout as pause } from 'node:timers/promises'
import { createLogger } from '@cobro/runtime'
import { type CallWaits, openCallWaits, readOrWait } from './call-waits.ts'

const logger = createLogger('webhooks-dispatcher', 'silent')
const signal = new AbortController().signal
/** Longer than a test may take. */
const timeoutMs = 3_600_000

let heads: Map<string, number> | Error
let polls = 0
let waits: CallWaits
const opened = (pollMs: number) => {
  const headsOf = async () => {
    polls += 1
    if (heads instanceof Error) throw heads
    return heads
  }
  return openCallWaits({ headsOf, pollMs, logger })
}
beforeEach(() => {
  heads = new Map()
  waits = opened(1)
})
afterEach(() => waits.stop())

/** Starts a wait and returns whether it has ended. */
function started(wait: Partial<Parameters<CallWaits['wait']>[0]> = {}) {
  const state = { ended: false }
  const waiting = waits.wait({ key: 'a', through: 1, timeoutMs, signal, ...wait }).then(() => {
    state.ended = true
  })
  return { state, waiting }
}

test('a wake ends the waits for its key only', async () => {
  await waits.stop()
  const [mine, other] = [started(), started({ key: 'b' })]
  waits.wake(['a'])
  await mine.waiting
  await pause(5)
  expect(other.state.ended).toBe(false)
  waits.end()
  await other.waiting
})

test('a wait ends when another replica moves the head beyond its position, also after the heads could not be read', async () => {
  heads = new Error('the database is unreachable')
  const { waiting } = started()
  await pause(20)
  heads = new Map([['a', 2]])
  await waiting
})

test('a wait does not end while the head is at its position', async () => {
  heads = new Map([['a', 1]])
  const { state, waiting } = started()
  const before = polls
  while (polls < before + 3) await pause(1)
  expect(state.ended).toBe(false)
  heads = new Map([['a', 2]])
  await waiting
})

test('a wait ends with its time and with its client', async () => {
  await started({ timeoutMs: 1 }).waiting
  const client = new AbortController()
  const { waiting } = started({ signal: client.signal })
  client.abort()
  await waiting
  await started({ signal: client.signal }).waiting
})

test('the end ends all waits and those that begin later', async () => {
  const { waiting } = started()
  waits.end()
  await waiting
  await started().waiting
  expect(waits.ended()).toBe(true)
})

const waitFor20s = { key: 'a', caller: 'a', waitMs: 20_000, signal }
const empty = (through: number, head = through) => ({ data: [], through, head })

test('a read with data, or with more to look at, does not wait', async () => {
  for (const page of [{ data: [1], through: 1, head: 1 }, empty(1, 2)])
    expect(await readOrWait(waits, async () => page, waitFor20s)).toBe(page)
  expect(await readOrWait(waits, async () => empty(1), { ...waitFor20s, waitMs: 0 })).toEqual(empty(1))
})

test('a read without data reads on from its end after each wake, and keeps its place among the five', async () => {
  await waits.stop()
  const pages = [empty(1), empty(2), { data: ['new'], through: 3, head: 3 }]
  const from: unknown[] = []
  const read = async (through: number | undefined) => {
    from.push(through)
    return pages.shift() ?? empty(9)
  }
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const others = Array.from({ length: 4 }, () => waits.hold('a', () => held))
  const reading = readOrWait(waits, read, waitFor20s)
  for (const reads of [1, 2]) {
    do await pause(1)
    while (from.length < reads)
    await expect(waits.hold('a', async () => 1)).rejects.toThrow('rate_limited')
    waits.wake(['a'])
  }
  expect(await reading).toEqual({ data: ['new'], through: 3, head: 3 })
  expect(from).toEqual([undefined, 1, 2])
  release()
  await Promise.all(others)
})
