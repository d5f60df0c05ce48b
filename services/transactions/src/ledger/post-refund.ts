import type { Tx } from '@cobro/database'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { refundPostings } from './ledger-postings.ts'
import { lockPosition, positionOf, postFor } from './post-entries.ts'

/** Books that a locked transaction was given back, in the caller's transaction. The fee stays with us. */
export async function postRefund(tx: Tx, row: TransactionRow, refundId: string, now: Date): Promise<void> {
  const position = await lockPosition(tx, row.id)
  const postings = refundPostings(positionOf(position), BigInt(row.amount_cents))
  postFor(tx, position, postings, { now, source_id: refundId })
}
