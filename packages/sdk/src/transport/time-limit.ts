/** A signal that aborts with another one, or after a time. */
export interface TimeLimit {
  signal: AbortSignal
  /** Ends the limit. */
  clear(): void
  /** Ends the limit of time alone: the other signal still aborts. */
  clearTimer(): void
}

/** Longer times would end at once. */
const longestMs = 2 ** 31 - 1

/** `AbortSignal.any` would keep a long-lived signal's followers in memory on Node 20. */
export function startTimeLimit(ms: number, outer?: AbortSignal): TimeLimit {
  const controller = new AbortController()
  const stop = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(), Math.min(longestMs, Math.max(0, ms)))
  if (outer?.aborted) stop()
  outer?.addEventListener('abort', stop, { once: true })
  const clearTimer = () => clearTimeout(timer)
  return {
    signal: controller.signal,
    clearTimer,
    clear() {
      clearTimer()
      outer?.removeEventListener('abort', stop)
    },
  }
}

/** Resolves with a promise's value, or rejects when the signal aborts. */
export function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
