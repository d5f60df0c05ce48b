import type { Logger } from '../observability/logger.ts'
import { wakeSignal } from '../waiting/wake-signal.ts'

/**
 * Runs a task at once and then `ms` after each run has ended, so that runs never overlap. A failed run is logged and does not
 * stop the interval. `stop` waits for the current run.
 */
export function startInterval(
  ms: number,
  name: string,
  task: () => Promise<unknown>,
  logger: Logger,
): { stop(): Promise<void> } {
  let stopping = false
  const signal = wakeSignal()
  const running = (async () => {
    while (!stopping) {
      try {
        await task()
      } catch (error) {
        logger.warn({ err: error, task: name }, 'a scheduled task failed')
      }
      if (!stopping) await signal.wait(ms)
    }
  })()
  return {
    stop: () => {
      stopping = true
      signal.wake()
      return running
    },
  }
}
