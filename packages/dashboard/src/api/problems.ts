import { ApiError, CobroError } from '@cobro/sdk/admin'

/** What went wrong, for a screen to say. */
export interface Problem {
  kind: 'offline' | 'invalid' | 'forbidden' | 'not_found' | 'conflict' | 'limited' | 'unavailable' | 'failed'
  /** The stable code of the API, if it answered. */
  code: string | undefined
  /** What is wrong, in the words of the API. */
  detail: string | undefined
  requestId: string | undefined
  retryAfterSeconds: number | undefined
}

const kinds: Record<number, Problem['kind']> = {
  400: 'invalid',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  429: 'limited',
  503: 'unavailable',
  504: 'unavailable',
}

/** Returns what a failed call means to the user. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof ApiError)) {
    const kind = error instanceof CobroError ? 'offline' : 'failed'
    return { kind, code: undefined, detail: undefined, requestId: undefined, retryAfterSeconds: undefined }
  }
  const { status, code, detail, requestId, retryAfterSeconds } = error
  return { kind: kinds[status] ?? 'failed', code, detail, requestId, retryAfterSeconds }
}

/** Returns whether the same call may succeed in a moment. */
export function isWorthRepeating(error: unknown): boolean {
  const { kind } = problemOf(error)
  return kind === 'offline' || kind === 'unavailable'
}

const longestWaitSeconds = 60

/**
 * Returns after how many seconds a call is repeated by itself that has failed so many times in a row: what the API asks for, or
 * each time twice as long. Undefined where the same call would fail again.
 */
export function repeatAfterSeconds(error: unknown, failures: number): number | undefined {
  const { kind, retryAfterSeconds = 1 } = problemOf(error)
  if (kind === 'limited') return Math.max(1, Math.ceil(retryAfterSeconds))
  return isWorthRepeating(error) ? Math.min(2 ** failures, longestWaitSeconds) : undefined
}
