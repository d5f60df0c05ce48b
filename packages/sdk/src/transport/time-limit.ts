/** A signal that aborts with another one, or after a time. */
export interface TimeLimit {
  signal: AbortSignal
  clear(): void
}

/** `AbortSignal.any` would keep a long-lived signal's followers in memory on Node 20. */
export function startTimeLimit(ms: number, outer?: AbortSignal): TimeLimit {
  const controller = new AbortController()
  const stop = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(), Math.max(0, ms))
  if (outer?.aborted) stop()
  outer?.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', stop)
    },
  }
}
