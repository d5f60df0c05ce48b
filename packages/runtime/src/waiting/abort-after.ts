/**
 * Runs `work` with a signal that aborts after `ms`, with the reason of `AbortSignal.timeout`. The timer ends with the work. That of
 * `AbortSignal.timeout` fires even after work that has succeeded: until then it keeps the signal, and then makes an error for it.
 */
export async function abortAfter<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException('The time limit has passed.', 'TimeoutError')), ms)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
