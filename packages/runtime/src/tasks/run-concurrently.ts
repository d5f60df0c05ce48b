import pLimit from 'p-limit'
import type { Logger } from '../observability/logger.ts'

/**
 * Runs `work` on every item, at most `concurrency` at a time.
 * Logs an item that fails and goes on with the others. Resolves with the number of items that succeeded once all have ended:
 * `work` neither failed nor returned false, which means that it had nothing to do. Rejects at an error that
 * `isUnavailable` recognizes, without beginning further items.
 */
export async function runConcurrently<T>(
  items: readonly T[],
  options: { concurrency: number; name: string; isUnavailable?: (error: unknown) => boolean; logger: Logger },
  work: (item: T) => Promise<unknown>,
): Promise<number> {
  const { concurrency, name, isUnavailable, logger } = options
  const limit = pLimit(concurrency)
  let succeeded = 0
  await limit.map(items, async item => {
    try {
      if ((await work(item)) !== false) succeeded += 1
    } catch (error) {
      if (isUnavailable?.(error)) {
        limit.clearQueue()
        throw error
      }
      logger.error({ err: error, task: name, item }, 'a task failed for one item')
    }
  })
  return succeeded
}
