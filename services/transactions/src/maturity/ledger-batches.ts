import { type Id, lowestId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type LedgerWork, lockMerchantLedger } from '../ledger/merchant-ledgers.ts'

/** How many positions one batch processes. */
export const batchSize = 500

/** One batch of a locked ledger's positions. `after` is the last transaction of the previous batch. */
export interface LedgerBatch extends LedgerWork {
  day: string
  now: Date
  after: Id<'txn'>
  limit: number
}

/**
 * Processes a ledger in one database transaction per batch, so that no request waits long for a locked position. `processBatch`
 * returns the last transaction of its batch, or undefined when no more follow. Returns whether it reached the end before
 * `shouldStop` returned true.
 */
export async function inLedgerBatches(
  write: Database['write'],
  { ledger, day }: Pick<LedgerBatch, 'ledger' | 'day'>,
  processBatch: (batch: LedgerBatch) => Promise<Id<'txn'> | undefined>,
  shouldStop: () => boolean,
): Promise<boolean> {
  let after: Id<'txn'> | undefined = lowestId('txn', 0)
  while (after !== undefined) {
    if (shouldStop()) return false
    const from: Id<'txn'> = after
    after = await write(async tx => {
      await lockMerchantLedger({ tx, ledger })
      return processBatch({ tx, ledger, day, now: new Date(), after: from, limit: batchSize })
    })
  }
  return true
}
