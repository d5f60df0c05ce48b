import type { WebhookResponse } from './post-webhook.ts'

/** What follows an attempt. `retry` comes with the delay before the next attempt. */
export type AttemptOutcome =
  | { kind: 'succeeded' | 'exhausted' | 'failed' | 'gone' }
  | { kind: 'retry'; delayMs: number }

type Reply = Pick<WebhookResponse, 'status_code' | 'retry_after'>

interface AttemptMade {
  /** 1 for the first attempt. */
  number: number
  /** Whether this is the single attempt of a test or redelivery. */
  oneShot: boolean
}

const maxRetryAfterMs = 3_600_000
const jitterShare = 0.1

/** Returns how many attempts a delivery gets: the first one, and one after each retry delay. */
export function maxAttempts(retryDelaysMs: readonly number[]): number {
  return retryDelaysMs.length + 1
}

/**
 * Decides what follows an attempt. Any 2xx is a success, and a 410 ends the delivery.
 * While attempts are left, anything else is retried after the retry delay of the attempt or a longer `Retry-After`.
 * `jitter` (0 to 1) adds up to a tenth, so that a recovering endpoint does not get all retries at once.
 */
export function decideOutcome(
  { number, oneShot }: AttemptMade,
  reply: Reply,
  clock: { retryDelaysMs: readonly number[]; nowMs: number; jitter: number },
): AttemptOutcome {
  const { status_code: status } = reply
  if (status !== null && status >= 200 && status < 300) return { kind: 'succeeded' }
  if (status === 410) return { kind: 'gone' }
  if (oneShot) return { kind: 'failed' }
  const retryDelayMs = clock.retryDelaysMs[number - 1]
  if (retryDelayMs === undefined) return { kind: 'exhausted' }
  const jittered = Math.round(retryDelayMs * (1 + jitterShare * clock.jitter))
  return { kind: 'retry', delayMs: Math.max(jittered, retryAfterMs(reply, clock.nowMs)) }
}

/** Returns the delay of `Retry-After` in seconds or as a date: at most an hour, for 429 and 503. */
function retryAfterMs({ status_code, retry_after }: Reply, nowMs: number): number {
  if (retry_after === null || (status_code !== 429 && status_code !== 503)) return 0
  const delayMs = /^\d+$/.test(retry_after) ? Number(retry_after) * 1_000 : Date.parse(retry_after) - nowMs
  return Number.isNaN(delayMs) ? 0 : Math.min(Math.max(delayMs, 0), maxRetryAfterMs)
}
