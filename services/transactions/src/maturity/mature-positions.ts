import { type Id, lowestId } from '@cobro/contracts'
import { balanceSql } from '@cobro/contracts/sql'
import { plannedForValues, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { correctSnapshots } from '../balance-snapshots/correct-snapshots.ts'
import { LedgerPositionEntity, type LedgerPositionRow } from '../ledger/ledger-entities.ts'
import { transferPostings } from '../ledger/ledger-postings.ts'
import { postToPosition } from '../ledger/post-entries.ts'
import { delayDaysOf } from '../settlement-config/settlement-delay.ts'
import { addDays } from '../time/utc-days.ts'
import { batchSize, type LedgerBatch } from './ledger-batches.ts'

/**
 * Makes available what was captured long enough before the end of `day`: for each transaction, the
 * pending balance of its entries up to that day. Entries of later days mature with later runs, and a run for a later
 * day includes everything before it, so days may be run in any order and repeatedly.
 */
export async function maturePositions({ tx, ledger, day, now, after, limit }: LedgerBatch) {
  const rows = await tx.find(
    LedgerPositionEntity,
    {
      ...ledger,
      transaction_id: { $gt: after },
      captured_on: { $lte: addDays(day, -(await delayDaysOf(tx, ledger))) },
      $or: [{ matured_on: null }, { matured_on: { $lte: day }, pending_cents: { $ne: 0n } }],
    },
    {
      ...plannedForValues,
      orderBy: { transaction_id: 'asc' },
      limit,
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    },
  )
  const pending = await pendingUntil(tx, rows, day)
  let matured = 0n
  for (const row of rows) {
    const due = pending.get(row.transaction_id)
    // A manual transaction with a capture date in the past has no entries before the day on which it was entered.
    if (due === undefined) continue
    postToPosition(tx, row, transferPostings('matured', due), { now, day })
    row.matured_on = day
    matured += due
  }
  await tx.flush()
  await correctSnapshots({ tx, ledger, day }, { pending: -matured, available: matured })
  return rows.length < limit ? undefined : rows.at(-1)?.transaction_id
}

/** Matures everything of a locked ledger that is due, in the caller's transaction. */
export async function matureLedger(work: Omit<LedgerBatch, 'after' | 'limit'>): Promise<void> {
  let after: Id<'txn'> | undefined = lowestId('txn', 0)
  while (after !== undefined) {
    after = await maturePositions({ ...work, after, limit: batchSize })
    // Otherwise every flush would compare all rows of the earlier batches.
    if (after !== undefined) work.tx.clear()
  }
}

/** Returns the pending balance of each transaction with entries up to a day, by those entries. */
async function pendingUntil(tx: Tx, rows: readonly LedgerPositionRow[], day: string): Promise<Map<string, bigint>> {
  const sums = await tx.execute<{ transaction_id: Id<'txn'>; pending: string }[]>(
    `select transaction_id, ${balanceSql('merchant_pending')} as pending from transactions.ledger_entries entry
     where transaction_id in (select jsonb_array_elements_text(?::jsonb)) and day <= ?
     group by transaction_id`,
    [JSON.stringify(rows.map(row => row.transaction_id)), day],
  )
  return new Map(sums.map(({ transaction_id, pending }) => [transaction_id, BigInt(pending)]))
}
