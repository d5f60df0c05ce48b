import type { Emit, Tx } from '@cobro/database'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { transitionTransaction } from '../transactions/transition-transaction.ts'
import { DisputeEntity, type DisputeRow } from './dispute-entity.ts'

/** A locked transaction with a dispute, in the caller's transaction. */
export interface DisputedTransaction {
  tx: Tx
  emit: Emit
  row: TransactionRow
  now: Date
}

/** Marks a disputed transaction as charged back and emits `payment.chargeback`. */
export function applyChargeback({ emit, row, now }: DisputedTransaction): void {
  transitionTransaction(emit, row, 'dispute', now)
}

/** Ends the chargeback of a transaction whose dispute was won or withdrawn, unless another dispute still takes its money. */
export async function reverseChargeback(
  { tx, emit, row, now }: DisputedTransaction,
  dispute: DisputeRow,
): Promise<void> {
  const others = await tx.count(DisputeEntity, {
    transaction_id: row.id,
    id: { $ne: dispute.id },
    status: { $ne: 'won' },
    deleted_at: null,
  })
  if (others === 0) transitionTransaction(emit, row, row.refunded_at ? 'win_refunded' : 'win', now)
}
