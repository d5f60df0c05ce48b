import { newId } from '@cobro/contracts'
import { newRow, type Tx } from '@cobro/database'
import { captureTrace } from '@cobro/runtime'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { RefundEntity, type RefundRow } from './refund-entity.ts'

interface RefundTerms {
  /** Whether we owe the money without a request, and retry until it is returned. */
  owed: boolean
  /** The acquirer's key of the payment, when it is not the key of the transaction's own attempt. */
  paymentKey?: string
  /** When to call the acquirer; at once when left out. */
  startsAt?: Date
  /** How many checks earlier refunds of this payment had, so that the delays keep growing. */
  checkCount?: number
}

/**
 * Starts the refund of a locked, approved transaction. The caller checks whether it is allowed.
 * A unique index rejects a second one. After the commit, `check-refunds.ts` sends it to the acquirer.
 */
export async function startRefund(tx: Tx, row: TransactionRow, terms: RefundTerms): Promise<RefundRow> {
  const now = new Date()
  const { merchant_id, correlation_id, payment_method, amount_cents, currency } = row
  const refund = newRow(tx, RefundEntity, {
    ...{ merchant_id, correlation_id, payment_method, amount_cents, currency },
    id: newId('rfd'),
    transaction_id: row.id,
    traceparent: captureTrace().traceparent ?? null,
    payment_key: terms.paymentKey ?? acquirerKey(row),
    status: 'processing',
    owed: terms.owed,
    by_hand: false,
    next_check_at: terms.startsAt ?? now,
    check_count: terms.checkCount ?? 0,
    created_at: now,
    updated_at: now,
  })
  row.refund_status = 'processing'
  row.refund_id = refund.id
  // A retry keeps the time of the original request.
  if (!terms.checkCount) row.refund_requested_at = now
  row.updated_at = now
  await tx.flush()
  return refund
}
