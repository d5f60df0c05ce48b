import type { EventData } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { giveBack } from '../refunds/book-late-payment.ts'
import { makeMove } from '../transactions/make-move.ts'
import { tellSettled } from '../transactions/tell-settled.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'

/**
 * A session or link has ended: a voucher that is out for it ends as well, and is withdrawn at the acquirer from the commit on.
 * One that was paid in the meantime brought money that nobody expects any more, which goes back at once.
 */
export async function endVouchers(
  tx: Tx,
  emit: Emit,
  payable: EventData<'payment.expired' | 'payment.cancelled'>,
  move: 'expire' | 'cancel',
): Promise<void> {
  const rows = await tx.find(
    TransactionEntity,
    { payable_id: payable.id, payment_method: 'cash', status: ['pending', 'approved'] },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
  const now = new Date()
  for (const row of rows) {
    if (row.status === 'approved') {
      if (!row.refund_status) await giveBack(tx, emit, row)
    } else if (makeMove(emit, row, move, now)) {
      row.next_check_at = now
      row.check_count = 0
      tellSettled(emit, row)
    }
  }
}
