import { type LockedTransaction, transitionTransaction } from '../transactions/transition-transaction.ts'
import { DisputeEntity, type DisputeRow } from './dispute-entity.ts'

/** Marks a disputed transaction as charged back and emits `payment.chargeback`. */
export function applyChargeback(disputed: LockedTransaction): void {
  transitionTransaction(disputed, 'dispute')
}

/** Ends the chargeback of a won or withdrawn dispute, unless another dispute takes the money. */
export async function reverseChargeback(disputed: LockedTransaction, dispute: DisputeRow): Promise<void> {
  const { tx, row } = disputed
  const notWon = { id: { $ne: dispute.id }, status: { $ne: 'won' as const }, deleted_at: null }
  if ((await tx.count(DisputeEntity, { transaction_id: row.id, ...notWon })) > 0) return
  transitionTransaction(disputed, row.refunded_at ? 'win_refunded' : 'win')
}
