import type { Tx } from '@cobro/database'
import { refundPostings } from '../ledger/ledger-postings.ts'
import { lockPosition, positionOf, postToPosition } from '../ledger/post-entries.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'

/** Posts the refund of a locked transaction, in the caller's transaction. The fee is not returned. */
export async function postRefund(tx: Tx, row: TransactionRow, refundId: string, now: Date): Promise<void> {
  const position = await lockPosition(tx, row.id)
  const postings = refundPostings(positionOf(position), BigInt(row.amount_cents))
  postToPosition(tx, position, postings, { now, source_id: refundId })
}
