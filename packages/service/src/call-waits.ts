import { ApiError } from '@cobro/contracts'
import { type Logger, startInterval } from '@cobro/runtime'

/** Who waits, beyond which position, and for how long. */
interface Wait {
  /** Whose calls are limited together, such as a merchant's. */
  key: string
  through: number
  timeoutMs: number
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/** The calls that wait until something is added to what they read. */
export interface CallWaits {
  /** Resolves once the head is beyond `through`, and after the timeout, the client's disconnect or the end of the waits. */
  wait(wait: Wait): Promise<void>
  /** Ends the waits of keys that have something new. */
  wake(keys: Iterable<string>): void
  /** Whether the replica stops: no call waits any longer. */
  ended(): boolean
  /** Ends all waits and those that begin later. */
  end(): Promise<void>
}

/** A page that a call reads: what it has, up to where it looked, and up to where there is something. */
export interface WaitedPage {
  data: readonly unknown[]
  through: number
  head: number
}

interface Options {
  /** Reads the newest position of each key. */
  headsOf: (keys: string[]) => Promise<Iterable<readonly [key: string, head: number]>>
  logger: Logger
}

const maxPerKey = 5
const pollMs = 250

interface OpenWait {
  through: number
  resolve: () => void
}

/**
 * Opens the registry of waits. Another replica may add what comes next, so the heads of the keys that wait are read four times
 * a second, all at once.
 */
export function openCallWaits({ headsOf, logger }: Options): CallWaits {
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
    const waits = of(key)
    if (waits.size >= maxPerKey)
      throw new ApiError('rate_limited', `expected at most ${maxPerKey} calls that wait`, {
        headers: { 'Retry-After': '1' },
      })
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = { through, resolve }
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
    wait,
    wake: keys => {
      for (const key of keys) resolveAll(of(key))
    },
    ended: () => ended,
    end: async () => {
      ended = true
      for (const waits of open.values()) resolveAll(waits)
      await polling.stop()
    },
  }
}

/** How long to wait if there is nothing, and when to stop because the client disconnected. */
interface Patience extends Pick<Wait, 'key' | 'signal'> {
  waitMs: number
}

/**
 * Reads a page. If nothing matches up to the head, waits for what comes next and returns the page then. `read` gets the
 * position where the page before ended; undefined at first.
 */
export async function readOrWait<P extends WaitedPage>(
  waits: CallWaits,
  read: (through: number | undefined) => Promise<P>,
  { key, waitMs, signal }: Patience,
): Promise<P> {
  const endsAt = performance.now() + waitMs
  let page = await read(undefined)
  while (page.data.length === 0 && page.through === page.head) {
    const timeoutMs = endsAt - performance.now()
    if (timeoutMs <= 0 || signal.aborted || waits.ended()) break
    await waits.wait({ key, through: page.through, timeoutMs, signal })
    page = await read(page.through)
  }
  return page
}
