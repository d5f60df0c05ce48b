import type { Logger } from '../observability/logger.ts'
import { wakeSignal } from '../waiting/wake-signal.ts'

/** The least pause after a failed run, unless the signal is woken. */
const minRetryDelayMs = 1_000

/**
 * Runs a task at once and then `ms` after each run has ended, so that runs never overlap.
 * A task that resolves with `true` has more to do and runs again at once; a call to `signal.wake` ends a pause early. A failed run
 * is logged and does not stop the interval. `stop` aborts the signal that the task receives and waits for the current run.
 */
export function startInterval(
  ms: number,
  name: string,
  task: (stopping: AbortSignal) => Promise<unknown>,
  logger: Logger,
  signal = wakeSignal(),
): { stop(): Promise<void> } {
  const stop = new AbortController()
  const stopping = stop.signal
  const running = (async () => {
    while (!stopping.aborted) {
      let delayMs = ms
      let more: unknown
      try {
        more = await task(stopping)
      } catch (error) {
        logger.warn({ err: error, task: name }, 'a scheduled task failed')
        delayMs = Math.max(ms, minRetryDelayMs)
      }
      if (more !== true && !stopping.aborted) await signal.wait(delayMs)
    }
  })()
  return {
    stop: () => {
      stop.abort()
      signal.wake()
      return running
    },
  }
}
