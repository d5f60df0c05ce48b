import pLimit from 'p-limit'
import type { Logger } from '../observability/logger.ts'

/**
 * Runs `work` on every item, at most `concurrency` at a time.
 * Logs an item that fails and goes on with the others. Resolves with the number of items that succeeded once all have ended:
 * `work` neither failed nor returned false, which means that it had nothing to do. After an error that
 * `isUnavailable` recognizes, it begins no further items and rejects with that error.
 */
export async function runConcurrently<T>(
  items: readonly T[],
  options: { concurrency: number; name: string; isUnavailable?: (error: unknown) => boolean; logger: Logger },
  work: (item: T) => Promise<unknown>,
): Promise<number> {
  const { concurrency, name, isUnavailable, logger } = options
  let succeeded = 0
  let unavailable: { error: unknown } | undefined
  await pLimit(concurrency).map(items, async item => {
    if (unavailable) return
    try {
      if ((await work(item)) !== false) succeeded += 1
    } catch (error) {
      if (isUnavailable?.(error)) unavailable = { error }
      else logger.error({ err: error, task: name, item }, 'a task failed for one item')
    }
  })
  if (unavailable) throw unavailable.error
  return succeeded
}
