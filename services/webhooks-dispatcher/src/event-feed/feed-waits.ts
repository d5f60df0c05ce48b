import { ApiError, type Id } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Logger, startInterval } from '@cobro/runtime'

/** Until when a call waits for an event of its merchant after a sequence. */
interface Wait {
  merchantId: Id<'mrc'>
  through: number
  timeoutMs: number
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/** The calls that wait for events. */
export interface FeedWaits {
  /** Resolves once the feed goes beyond `through`, and after the timeout, the client's disconnect or the end of the waits. */
  wait(wait: Wait): Promise<void>
  /** Ends the waits of merchants with new events. */
  wake(merchantIds: Iterable<string>): void
  /** Whether the replica stops: no call waits any longer. */
  ended(): boolean
  /** Ends all waits and those that begin later. */
  end(): Promise<void>
}

const maxPerMerchant = 5
const pollMs = 250

interface OpenWait {
  through: number
  resolve: () => void
}

/**
 * Opens the registry of waits. Another replica may store the next event, so the heads of the merchants that wait are read four
 * times a second, all in one statement.
 */
export function openFeedWaits({ db, logger }: { db: Database; logger: Logger }): FeedWaits {
  const open = new Map<string, Set<OpenWait>>()
  let ended = false
  const of = (merchantId: string) => open.get(merchantId) ?? new Set()
  const resolveAll = (waits: Iterable<OpenWait>) => {
    for (const { resolve } of waits) resolve()
  }
  const poll = async () => {
    if (open.size === 0) return
    for (const { merchant_id, head } of await db.execute<Head>(headsOf, [`{${[...open.keys()].join()}}`]))
      resolveAll([...of(merchant_id)].filter(({ through }) => through < head))
  }
  const polling = startInterval(pollMs, 'poll the event feed', poll, logger)

  const wait = async ({ merchantId, through, timeoutMs, signal }: Wait) => {
    if (ended || signal.aborted) return
    const waits = of(merchantId)
    if (waits.size >= maxPerMerchant)
      throw new ApiError('rate_limited', `expected at most ${maxPerMerchant} calls that wait`, {
        headers: { 'Retry-After': '1' },
      })
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = { through, resolve }
    open.set(merchantId, waits.add(own))
    const timer = setTimeout(resolve, timeoutMs)
    const leave = () => resolve()
    signal.addEventListener('abort', leave)
    await promise
    signal.removeEventListener('abort', leave)
    clearTimeout(timer)
    waits.delete(own)
    if (waits.size === 0) open.delete(merchantId)
  }
  return {
    wait,
    wake: merchantIds => {
      for (const id of merchantIds) resolveAll(of(id))
    },
    ended: () => ended,
    end: async () => {
      ended = true
      for (const waits of open.values()) resolveAll(waits)
      await polling.stop()
    },
  }
}

interface Head {
  merchant_id: string
  head: number
}

const headsOf = `
  select merchant_id, head::double precision from webhooks.feed_heads where merchant_id = any(?::text[])`
