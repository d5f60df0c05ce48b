import { lockRow, newRow, type Tx } from '@cobro/database'
import { refundPostings } from '../ledger/ledger-postings.ts'
import { lockPosition, postToPosition } from '../ledger/post-entries.ts'
import { RefundEntity } from '../refunds/refund-entity.ts'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { transitionTransaction } from '../transactions/transition-transaction.ts'
import type { Refunded } from './demo-days.ts'
import { unpublished } from './unpublished.ts'

/** Stores a refund that has ended, unless it is stored. Returns whether it was missing. */
export async function loadRefund(tx: Tx, { refund, attempts }: Refunded): Promise<boolean> {
  const { id, status, failure_reason, acquirer_reference, requested_at, ended_at } = refund
  const paid = attempts.at(-1)
  if (!paid || (await tx.findOne(RefundEntity, { id }))) return false
  const row = await lockRow(tx, TransactionEntity, paid.transaction_id)
  // Someone who looks at the shop while it is loaded may have refunded or disputed the payment.
  if (row.status !== 'approved' || row.refund_id) return false
  const { merchant_id, correlation_id, payment_method, amount_cents, currency } = row
  newRow(tx, RefundEntity, {
    ...{ id, merchant_id, correlation_id, payment_method, amount_cents, currency, status, failure_reason },
    ...{ acquirer_reference, owed: false, by_hand: false, check_count: 0 },
    transaction_id: row.id,
    payment_key: acquirerKey(row),
    asked_at: requested_at,
    created_at: requested_at,
    updated_at: ended_at,
  })
  Object.assign(row, { refund_id: id, refund_status: status, refund_requested_at: requested_at, updated_at: ended_at })
  if (status === 'completed') {
    row.refunded_at = ended_at
    const position = await lockPosition(tx, row.id)
    const postings = refundPostings(position, BigInt(amount_cents))
    postToPosition(tx, position, postings, { now: ended_at, source_id: id })
    transitionTransaction({ emit: unpublished, row, now: ended_at }, 'refund')
  }
  await tx.flush()
  return true
}
