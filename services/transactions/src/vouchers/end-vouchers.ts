import { type EventData, isId } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { emitAttemptResolution } from '../payment-attempts/attempt-resolution.ts'
import { refundDuplicate } from '../refunds/record-late-payment.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { transitionTransaction } from '../transactions/transition-transaction.ts'

/**
 * Ends the vouchers of a session or link that expired or was cancelled, and schedules their
 * withdrawal at the acquirer. A voucher that was paid in the meantime is refunded as a duplicate.
 */
export async function endVouchers(
  tx: Tx,
  emit: Emit,
  payable: EventData<'payment.expired' | 'payment.cancelled'>,
  action: 'expire' | 'cancel',
): Promise<void> {
  // The event is about a transaction, which has no vouchers of its own.
  if (isId('txn', payable.id)) return
  const rows = await tx.find(
    TransactionEntity,
    { payable_id: payable.id, payment_method: 'cash', status: ['pending', 'approved'] },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
  const now = new Date()
  for (const row of rows) {
    if (row.status === 'approved') {
      if (!row.refund_status) await refundDuplicate(tx, emit, row)
    } else if (transitionTransaction({ emit, row, now }, action)) {
      row.next_check_at = now
      row.check_count = 0
      emitAttemptResolution(emit, row)
    }
  }
}
