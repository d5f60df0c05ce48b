import type { Logger } from '../observability/logger.ts'
import { runConcurrently } from './run-concurrently.ts'

interface ClaimOptions<T> {
  name: string
  /** Claims at most `limit` due items, by committing a later due time of each, and returns them. */
  claim: (limit: number) => Promise<T[]>
  batch: number
  concurrency: number
  /** Ends the work after the current batch. */
  stopping?: AbortSignal | undefined
  logger: Logger
}

/**
 * Claims due items and runs `work` on each, batch after batch until one is not full. Any number of replicas may do so concurrently.
 * An item that fails is logged; like the items of a process that dies, it is due again at the time that the claim set.
 */
export async function claimAndProcess<T>(options: ClaimOptions<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const { claim, batch, stopping } = options
  while (!stopping?.aborted) {
    const items = await claim(batch)
    await runConcurrently(items, options, work)
    if (items.length < batch) return
  }
}
