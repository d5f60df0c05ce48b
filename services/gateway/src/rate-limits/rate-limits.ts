import { ApiError } from '@cobro/contracts'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Limit, LimitKind } from './rate-limit-settings.ts'

/** What remains of a limit after a call was counted. */
interface Allowance {
  limit: Limit
  remaining: number
  /** Seconds until the window ends. */
  reset: number
}

export type RateLimits = ReturnType<typeof openRateLimits>

/** Counts calls in this replica's memory, in fixed windows that each start with the first call. */
export function openRateLimits(limits: Record<LimitKind, Limit>) {
  const limiters = Object.fromEntries(
    Object.entries(limits).map(([kind, { calls, seconds }]) => [
      kind,
      new RateLimiterMemory({ keyPrefix: kind, points: calls, duration: seconds }),
    ]),
  ) as Record<LimitKind, RateLimiterMemory>
  return {
    /** Counts a call of `who`. Throws a 429 with `Retry-After` if it exceeds the limit. */
    async consume(kind: LimitKind, who: string): Promise<Allowance> {
      const limit = limits[kind]
      const taken = await limiters[kind].penalty(who)
      const allowance = allowanceOf(limit, taken)
      if (taken.consumedPoints > limit.calls) throw rateLimitError(allowance)
      return allowance
    },
    /** Counts a call of `who`. Returns the milliseconds until the window ends if it exceeds the limit. */
    async exceeds(kind: LimitKind, who: string): Promise<number | undefined> {
      const taken = await limiters[kind].penalty(who)
      return taken.consumedPoints > limits[kind].calls ? taken.msBeforeNext : undefined
    },
  }
}

/** Returns the `RateLimit-*` response headers. */
export function rateLimitHeaders({ limit, remaining, reset }: Allowance): Record<string, string> {
  return {
    'RateLimit-Policy': `${limit.calls};w=${limit.seconds}`,
    'RateLimit-Limit': String(limit.calls),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset),
  }
}

function allowanceOf(limit: Limit, { remainingPoints, msBeforeNext }: RateLimiterRes): Allowance {
  return { limit, remaining: Math.max(remainingPoints, 0), reset: Math.max(Math.ceil(msBeforeNext / 1000), 1) }
}

function rateLimitError(allowance: Allowance): ApiError {
  const { limit, reset } = allowance
  const headers = { ...rateLimitHeaders(allowance), 'Retry-After': String(reset) }
  return new ApiError('rate_limited', `expected at most ${limit.calls} calls in ${limit.seconds} s`, { headers })
}
