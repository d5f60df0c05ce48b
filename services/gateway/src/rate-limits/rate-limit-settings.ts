import { z } from 'zod'

/** At most `calls` calls in `seconds` seconds. */
export interface Limit {
  calls: number
  seconds: number
}

/** The kinds of calls that have their own limits. */
export type LimitKind = 'key' | 'user' | 'address' | 'guess' | 'login' | 'rejected'

/** Parses a limit that is written as `calls/seconds`. */
export const rateLimit = z.string().transform((text, context): Limit => {
  const [, calls, seconds] = /^(\d{1,7})\/(\d{1,4})$/.exec(text) ?? []
  const limit = { calls: Number(calls), seconds: Number(seconds) }
  if (limit.calls > 0 && limit.seconds > 0) return limit
  context.addIssue({ code: 'custom', message: 'expected calls/seconds, such as 1000/10' })
  return z.NEVER
})

/**
 * The defaults. An API key may make 100 calls a second on average, in bursts of up to 1,000,
 * which one replica can serve. Payers in one office share an address, so its limit is generous. People do not type
 * passwords fast, and a client with a revoked key needs no more than one 401 a second. No client needs ten rejections a
 * second for a minute.
 */
export const defaultRateLimits = {
  key: '1000/10',
  user: '300/10',
  address: '300/10',
  guess: '60/60',
  login: '20/60',
  rejected: '600/60',
} as const satisfies Record<LimitKind, string>
