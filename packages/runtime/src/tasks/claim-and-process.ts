import type { Logger } from '../observability/logger.ts'
import { runConcurrently } from './run-concurrently.ts'

interface ClaimOptions<T> {
  name: string
  /**
   * Returns at most `limit` due items. Commits a later due time of each, unless `work` does that.
   * In the latter case `work` returns false for an item that is no longer due, or that another replica has locked.
   */
  claim: (limit: number) => Promise<T[]>
  batch: number
  concurrency: number
  /** Ends the work after the current batch. */
  stopping?: AbortSignal | undefined
  isUnavailable?: (error: unknown) => boolean
  logger: Logger
}

/**
 * Claims due items and runs `work` on each, batch after batch until one is not full.
 * It also ends after a batch of which no item succeeded, because they may still be due. Any number of replicas may do so
 * concurrently. An item that fails is logged; like the items of a process that dies, it is due again at the time that the
 * claim set, or is still due. Rejects at an error that `isUnavailable` recognizes: the other items would fail as well.
 */
export async function claimAndProcess<T>(options: ClaimOptions<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const { claim, batch, stopping } = options
  while (!stopping?.aborted) {
    const items = await claim(batch)
    const succeeded = await runConcurrently(items, options, work)
    if (items.length < batch || succeeded === 0) return
  }
}
