import { type Logger, startInterval } from '@cobro/runtime'
import { type ConcurrencyLimit, concurrencyLimit } from './concurrency-limit.ts'

/** The calls that wait until something is added to what they read. */
export interface CallWaits {
  /** Limits how many calls of a caller wait. */
  hold: ConcurrencyLimit
  /** Resolves once the head of `key` is beyond `through`, and after the timeout, the client's disconnect or the end. */
  wait(wait: Wait): Promise<void>
  /** Ends the waits for keys that have something new. */
  wake(keys: Iterable<string>): void
  /** Whether the replica stops: no call waits any longer. */
  ended(): boolean
  /** Ends all waits and those that begin later. */
  end(): void
  /** Stops reading heads. */
  stop(): Promise<void>
}

interface Wait {
  /** What is waited for, such as the feed of a merchant. */
  key: string
  through: number
  timeoutMs: number
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/** A page that a call reads: what it has, up to where it looked, and up to where there is something. */
interface WaitedPage {
  data: readonly unknown[]
  through: number
  head: number
}

interface Options {
  /** Reads the newest position of each key. */
  headsOf: (keys: string[]) => Promise<Iterable<readonly [key: string, head: number]>>
  /** How often heads are read while calls wait: what another replica adds is seen this much later. */
  pollMs: number
  logger: Logger
}

const maxPerCaller = 5

interface OpenWait {
  through: number
  resolve: () => void
}

/** Opens the registry of waits. Another replica may add what comes next, so the heads of all keys are read repeatedly. */
export function openCallWaits({ headsOf, pollMs, logger }: Options): CallWaits {
  const open = new Map<string, Set<OpenWait>>()
  let ended = false
  const of = (key: string) => open.get(key) ?? new Set()
  const resolveAll = (waits: Iterable<OpenWait>) => {
    for (const { resolve } of waits) resolve()
  }
  const poll = async () => {
    if (open.size === 0) return
    for (const [key, head] of await headsOf([...open.keys()]))
      resolveAll([...of(key)].filter(({ through }) => through < head))
  }
  const polling = startInterval(pollMs, 'poll for waiting calls', poll, logger)

  const wait = async ({ key, through, timeoutMs, signal }: Wait) => {
    if (ended || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = { through, resolve }
    const waits = of(key)
    open.set(key, waits.add(own))
    const timer = setTimeout(resolve, timeoutMs)
    const leave = () => resolve()
    signal.addEventListener('abort', leave)
    await promise
    signal.removeEventListener('abort', leave)
    clearTimeout(timer)
    waits.delete(own)
    if (waits.size === 0) open.delete(key)
  }
  return {
    hold: concurrencyLimit({ perCaller: maxPerCaller, what: 'calls that wait' }),
    wait,
    wake: keys => {
      for (const key of keys) resolveAll(of(key))
    },
    ended: () => ended,
    end: () => {
      ended = true
      for (const waits of open.values()) resolveAll(waits)
    },
    stop: polling.stop,
  }
}

interface WaitOptions extends Pick<Wait, 'key' | 'signal'> {
  /** Whose calls that wait are limited together. */
  caller: string
  waitMs: number
}

/**
 * Reads a page. If nothing matches up to the head, waits for what comes next and returns the page then. `read` gets the
 * position where the page before ended; undefined at first.
 */
export async function readOrWait<P extends WaitedPage>(
  waits: CallWaits,
  read: (through: number | undefined) => Promise<P>,
  { key, caller, waitMs, signal }: WaitOptions,
): Promise<P> {
  const endsAt = performance.now() + waitMs
  const mayWait = ({ data, through, head }: P) =>
    data.length === 0 && through === head && performance.now() < endsAt && !signal.aborted && !waits.ended()
  const first = await read(undefined)
  if (!mayWait(first)) return first
  return waits.hold(caller, async () => {
    let page = first
    while (mayWait(page)) {
      await waits.wait({ key, through: page.through, timeoutMs: endsAt - performance.now(), signal })
      page = await read(page.through)
    }
    return page
  })
}
