import { z } from 'zod'

/** So many calls in so many seconds. */
export interface Limit {
  calls: number
  seconds: number
}

/** Whose calls are counted together, each kind against a limit of its own. */
export type LimitKind = 'key' | 'user' | 'address' | 'guess' | 'login'

/** A limit as a setting says it: `calls/seconds`. */
export const rateLimit = z.string().transform((text, context): Limit => {
  const [, calls, seconds] = /^(\d{1,7})\/(\d{1,4})$/.exec(text) ?? []
  const limit = { calls: Number(calls), seconds: Number(seconds) }
  if (limit.calls > 0 && limit.seconds > 0) return limit
  context.addIssue({ code: 'custom', message: 'expected calls/seconds, such as 1000/10' })
  return z.NEVER
})

/**
 * Generous for honest use and small enough to keep one caller from taking a replica for itself: a key has 100 calls a second on
 * average and may use ten seconds' worth at once. Offices share an address, so payers have room; passwords are not typed that
 * fast, and a program whose key was revoked need not hear of it oftener than once a second.
 */
export const defaultRateLimits = {
  key: '1000/10',
  user: '300/10',
  address: '300/10',
  guess: '60/60',
  login: '20/60',
} as const satisfies Record<LimitKind, string>
