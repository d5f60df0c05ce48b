import { ApiError, type CobroError, ConnectionError, TimeoutError } from './errors.ts'
import type { OperationRow } from './operation-row.ts'

/** What decides whether a call may be repeated. */
interface Repeatable {
  operation: OperationRow
  /** A POST with a key has its effect once. */
  idempotencyKey?: string | undefined
}

const firstPauseMs = 500
const longestPauseMs = 8_000
const longestAskedForSeconds = 60

/** Whether a call that failed may be repeated without a second effect, and without a wrong answer. */
export function mayRepeat(call: Repeatable, error: CobroError): boolean {
  if (error instanceof ApiError) return mayRepeatAnswered(call, error)
  if (!(error instanceof ConnectionError || error instanceof TimeoutError)) return false
  return isSafe(call) || !error.outcomeUnknown
}

function mayRepeatAnswered(call: Repeatable, { status, retryAfterSeconds = 0 }: ApiError): boolean {
  if (retryAfterSeconds > longestAskedForSeconds) return false
  switch (status) {
    case 429:
      return true
    case 500:
    case 503:
    case 504:
      return isSafe(call)
    // Another call with the same key is still running. Conflicts of state ask for no pause.
    case 409:
      return call.idempotencyKey !== undefined && retryAfterSeconds > 0
    default:
      return false
  }
}

/** A PUT sets fields, so it can be repeated. A second DELETE would be a 404 or a conflict. */
function isSafe({ operation: [, method], idempotencyKey }: Repeatable): boolean {
  return method === 'GET' || method === 'PUT' || (method === 'POST' && idempotencyKey !== undefined)
}

/** Returns the pause after an attempt: what the API asks for, and at least a random one that grows (full jitter). */
export function pauseMs(attempt: number, error: unknown): number {
  const askedFor = error instanceof ApiError ? error.retryAfterSeconds : undefined
  const largest = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1))
  return Math.max(Math.random() * largest, (askedFor ?? 0) * 1_000)
}

/** Waits. Rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
