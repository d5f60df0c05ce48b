import { type Id, lowestId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type LedgerWork, lockMerchantLedger } from '../ledger/merchant-ledgers.ts'

/** How many positions one batch processes. */
export const batchSize = 500

/** One batch of a locked ledger's positions. `after` is the last transaction of the one before. */
export interface LedgerBatch extends LedgerWork {
  day: string
  now: Date
  after: Id<'txn'>
  limit: number
}

/**
 * Processes a ledger in one transaction per batch, so that no request waits long for a position.
 * `processBatch` returns its last transaction, or undefined at the end. Returns false if `shouldStop` came first.
 * What a batch posts is of the time `now`; by default the current.
 */
export async function inLedgerBatches(
  write: Database['write'],
  { ledger, day, now }: Pick<LedgerBatch, 'ledger' | 'day'> & { now?: Date },
  processBatch: (batch: LedgerBatch) => Promise<Id<'txn'> | undefined>,
  shouldStop: () => boolean,
): Promise<boolean> {
  let after: Id<'txn'> | undefined = lowestId('txn', 0)
  while (after !== undefined) {
    if (shouldStop()) return false
    const from: Id<'txn'> = after
    after = await write(async tx => {
      await lockMerchantLedger({ tx, ledger })
      return processBatch({ tx, ledger, day, now: now ?? new Date(), after: from, limit: batchSize })
    })
  }
  return true
}
