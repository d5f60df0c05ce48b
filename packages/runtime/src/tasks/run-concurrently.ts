import pLimit from 'p-limit'
import type { Logger } from '../observability/logger.ts'

/**
 * Runs `work` on every item, at most `concurrency` at a time.
 * Logs an item that fails and goes on with the others. Resolves with the number of items that succeeded once all have ended:
 * `work` neither failed nor returned false, which means that it had nothing to do.
 */
export async function runConcurrently<T>(
  items: readonly T[],
  options: { concurrency: number; name: string; logger: Logger },
  work: (item: T) => Promise<unknown>,
): Promise<number> {
  const { concurrency, name, logger } = options
  let succeeded = 0
  await pLimit(concurrency).map(items, async item => {
    try {
      if ((await work(item)) !== false) succeeded += 1
    } catch (error) {
      logger.error({ err: error, task: name, item }, 'a task failed for one item')
    }
  })
  return succeeded
}
