import type { Logger } from './logger.ts'

/**
 * Repeats a task: once at the start, then `ms` after each run has ended, so that runs never overlap. A failed run is
 * logged and the next one comes all the same. `stop` waits for the run in hand.
 */
export function every(
  ms: number,
  name: string,
  task: () => Promise<unknown>,
  logger: Logger,
): { stop(): Promise<void> } {
  let stopping = false
  let wake = () => {}
  const pause = () =>
    new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const running = (async () => {
    while (!stopping) {
      try {
        await task()
      } catch (error) {
        logger.warn({ err: error, task: name }, 'a repeated task failed')
      }
      if (!stopping) await pause()
    }
  })()
  return {
    stop: () => {
      stopping = true
      wake()
      return running
    },
  }
}
