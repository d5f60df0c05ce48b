import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { type Database, getRow, type Tx } from '@cobro/database'
import { DisputeEntity } from '../disputes/dispute-entity.ts'
import { LedgerEntryEntity } from '../ledger/ledger-entities.ts'
import { deletionPostings } from '../ledger/ledger-postings.ts'
import { lockPosition, postingsOf, postToPosition } from '../ledger/post-entries.ts'
import { dayOf } from '../time/utc-days.ts'
import { isManual, TransactionEntity } from '../transactions/transaction-entity.ts'

/**
 * Deletes a manual transaction without refund, dispute or settlement. The row stays, but hidden.
 * Its entries are reversed and then add up to zero, so no settlement has to collect them.
 */
export async function deleteTransaction(db: Database, caller: Caller, id: Id<'txn'>): Promise<void> {
  await db.write(async (tx, emit) => {
    const row = await getRow(tx, TransactionEntity, caller, id, { lock: true })
    if (!isManual(row)) throw new ApiError('conflict', 'the transaction was not entered by hand')
    if (row.refund_id) throw new ApiError('conflict', 'the transaction has a refund')
    if ((await tx.count(DisputeEntity, { transaction_id: id })) > 0)
      throw new ApiError('conflict', 'the transaction has a dispute')
    const now = new Date()
    if (row.captured_at) await reverseEntries(tx, id, now)
    row.deleted_at = now
    row.updated_at = now
    emit('transaction.deleted', row)
  })
}

async function reverseEntries(tx: Tx, id: Id<'txn'>, now: Date): Promise<void> {
  const position = await lockPosition(tx, id)
  const settled = await tx.execute(
    `select 1 from transactions.settlement_entries join transactions.ledger_entries entry on entry.id = entry_id
     where transaction_id = ? limit 1`,
    [id],
  )
  if (settled.length > 0) throw new ApiError('conflict', 'the transaction has been settled')
  const entries = await tx.find(LedgerEntryEntity, { transaction_id: id })
  postToPosition(tx, position, deletionPostings(postingsOf(entries)), { now })
  position.unsettled = false
  // The daily run of an earlier day may still come. It must not mature the entries, because the reversal counts for today.
  position.matured_on ??= dayOf(now)
}
