import { newId } from '@cobro/contracts'
import { newRow, type Tx } from '@cobro/database'
import { captureTrace } from '@cobro/runtime'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { RefundEntity, type RefundRow } from './refund-entity.ts'

interface RefundTerms {
  /** Nobody asked for it: it is tried until the money has gone back. */
  owed: boolean
  /** The acquirer's key of what brought the money, where that is not the transaction's own attempt. */
  paymentKey?: string
  /** When the acquirer is asked; left out: at once. */
  startsAt?: Date
  /** How many tries came before, so that they become rarer. */
  checkCount?: number
}

/**
 * Begins to give a locked, approved transaction back, in the caller's transaction: from its commit on the refund is asked for
 * until its end is known. Whether a caller may ask for one is decided before; the database refuses a second one.
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
  // Another try of what is owed is not another request.
  if (!terms.checkCount) row.refund_requested_at = now
  row.updated_at = now
  await tx.flush()
  return refund
}
