/** What an attempt came to, as far as the next step depends on it. */
export interface Result {
  /** The receiver's status, or null where it never gave one. */
  status_code: number | null
  retry_after: string | null
}

/** What becomes of a delivery after an attempt. */
export type Outcome = { kind: 'succeeded' | 'exhausted' | 'failed' | 'gone' } | { kind: 'retry'; waitMs: number }

const maxRetryAfterMs = 3_600_000
const jitterShare = 0.1

/** Which attempt it was: the how many-th, and whether somebody asked for this one alone. */
export interface AttemptMade {
  number: number
  oneShot: boolean
}

/** How many attempts a delivery gets: the first, and one after each wait. */
export function maxAttempts(waitsMs: readonly number[]): number {
  return waitsMs.length + 1
}

/**
 * Decides what follows an attempt. Any 2xx acknowledges; 410 says that nothing is wanted any more; all else is tried again
 * after the attempt's wait, lengthened by up to a tenth (`jitter` is 0 to 1) so that a receiver that comes back is not met by
 * everything at once, and further by what the receiver itself asks for. An attempt that somebody asked for is not repeated.
 */
export function outcomeOf(
  { number, oneShot }: AttemptMade,
  result: Result,
  clock: { waitsMs: readonly number[]; nowMs: number; jitter: number },
): Outcome {
  const { status_code: status } = result
  if (status !== null && status >= 200 && status < 300) return { kind: 'succeeded' }
  if (status === 410) return { kind: 'gone' }
  if (oneShot) return { kind: 'failed' }
  const waitMs = clock.waitsMs[number - 1]
  if (waitMs === undefined) return { kind: 'exhausted' }
  const jittered = Math.round(waitMs * (1 + jitterShare * clock.jitter))
  return { kind: 'retry', waitMs: Math.max(jittered, askedWaitMs(result, clock.nowMs)) }
}

/** The wait that a `Retry-After` asks for: seconds or a date, only with 429 and 503, an hour at the most. */
function askedWaitMs({ status_code, retry_after }: Result, nowMs: number): number {
  if (retry_after === null || (status_code !== 429 && status_code !== 503)) return 0
  const asked = /^\d+$/.test(retry_after) ? Number(retry_after) * 1_000 : Date.parse(retry_after) - nowMs
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), maxRetryAfterMs)
}
