import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import type { BenchStack } from './bench-stack.ts'

/** Readers of the event feed that wait for events, as long polls of the service itself. */
export interface FeedReaders {
  /** Returns the number of open calls that wait. Throws the error of a reader that has failed. */
  waiting(): number
  stop(): Promise<void>
}

/** An event as a reader received it. */
export interface ReadEvent {
  run: string
  delayMs: number
}

const waitSeconds = 20
const settleMs = 2_000

/** Starts readers of the feeds of merchants, from the newest event on. Reports each event with its delay since it was due. */
export function startFeedReaders(
  { stack, identify }: Pick<BenchStack, 'stack' | 'identify'>,
  merchants: readonly Id<'mrc'>[],
  perMerchant: number,
  onEvent: (event: ReadEvent) => void,
): FeedReaders {
  const ending = new AbortController()
  const url = `${stack.stack.services['webhooks-dispatcher']?.url}/api/webhook-events`
  let waiting = 0
  let failure: unknown
  const readPage = async (merchant: Id<'mrc'>, query: string, waits = 0) => {
    const headers = await identify(keyCaller(merchant), 'webhooks-dispatcher')
    waiting += waits
    const response = await fetch(`${url}?${query}`, { headers, signal: ending.signal }).finally(() => {
      waiting -= waits
    })
    if (response.status !== 200) throw new Error(`The feed answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as { data: { payload: string }[]; through: number }
  }
  const read = async (merchant: Id<'mrc'>) => {
    let { through } = await readPage(merchant, 'after=latest')
    while (!ending.signal.aborted) {
      const page = await readPage(merchant, `after=${through}&wait=${waitSeconds}`, 1)
      const now = Date.now()
      for (const { payload } of page.data) {
        const { run, due_ms } = JSON.parse(payload).data.metadata
        onEvent({ run, delayMs: now - Number(due_ms) })
      }
      through = page.through
    }
  }
  const reading = merchants.flatMap(merchant => Array.from({ length: perMerchant }, () => read(merchant)))
  const all = Promise.all(reading)
  // Its end is awaited by `stop`.
  all.catch(error => {
    failure = error
  })
  const stop = async () => {
    ending.abort()
    await all.catch(error => {
      if (!ending.signal.aborted || error.name !== 'AbortError') throw error
    })
  }
  const countWaiting = () => {
    if (failure) throw failure
    return waiting
  }
  return { waiting: countWaiting, stop }
}

/** Waits until a number of calls wait, and longer, so that the service has read their feeds once. */
export async function untilWaiting(readers: readonly FeedReaders[], calls: number, signal: AbortSignal): Promise<void> {
  while (readers.reduce((sum, { waiting }) => sum + waiting(), 0) < calls) {
    signal.throwIfAborted()
    await sleep(20)
  }
  await sleep(settleMs)
}
