import { ApiError, type Caller } from '@cobro/contracts'

interface Limits {
  perCaller: number
  /** The most of all callers of this replica. */
  inTotal?: number
  /** What is limited, as the error names it. */
  what: string
}

/** Counts a call as one of its caller's until `work` is done. Throws a 429 at a limit. */
export type ConcurrencyLimit = <T>(caller: string, work: () => Promise<T>) => Promise<T>

/** Limits how many calls run at once on this replica. */
export function concurrencyLimit({ perCaller, inTotal = Number.POSITIVE_INFINITY, what }: Limits): ConcurrencyLimit {
  const held = new Map<string, number>()
  let total = 0
  return async (caller, work) => {
    const before = held.get(caller) ?? 0
    if (before >= perCaller) throw limited(`expected at most ${perCaller} ${what}`)
    if (total >= inTotal) throw limited(`expected at most ${inTotal} ${what} of all callers`)
    held.set(caller, before + 1)
    total += 1
    try {
      return await work()
    } finally {
      total -= 1
      const left = (held.get(caller) ?? 1) - 1
      if (left === 0) held.delete(caller)
      else held.set(caller, left)
    }
  }
}

const limited = (detail: string) => new ApiError('rate_limited', detail, { headers: { 'Retry-After': '1' } })

/** Returns whose calls are limited together: all keys of a merchant, and each user separately, who does not use up theirs. */
export function limitedTogether(caller: Caller): string {
  if (caller.kind === 'key') return caller.merchant_id
  return 'id' in caller ? caller.id : caller.kind
}
