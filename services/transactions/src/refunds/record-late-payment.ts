import { type Metadata, metadata, newId } from '@cobro/contracts'
import { type Emit, newRow, type Tx } from '@cobro/database'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import { postFreeCapture, returnFee } from '../transactions/post-capture.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { startRefund } from './start-refund.ts'

/**
 * Records money that arrived after its transaction had ended, once however often it is reported.
 * Creates an approved transaction for it, emits `payment.duplicate` and starts a refund. `ended` is locked.
 */
export async function recordLatePayment(
  tx: Tx,
  emit: Emit,
  ended: TransactionRow,
  paid: { acquirer_reference: string | null; risk_score?: number | null },
): Promise<void> {
  if (await tx.findOne(TransactionEntity, { late_payment_of: ended.id })) return
  const now = new Date()
  const { merchant_id, correlation_id, payment_link_id, order_id, reference, payer_email, customer_ref } = ended
  const { type, rail, payment_method, amount_cents, currency, card } = ended
  const row = newRow(tx, TransactionEntity, {
    ...{ merchant_id, correlation_id, payment_link_id, order_id, reference, payer_email, customer_ref },
    ...{ type, rail, payment_method, amount_cents, currency, card },
    id: newId('txn'),
    payment_intent_id: newId('pi'),
    late_payment_of: ended.id,
    metadata: latePaymentMetadata(ended),
    status: 'approved',
    fee_cents: 0,
    acquirer_reference: paid.acquirer_reference,
    risk_score: paid.risk_score ?? null,
    check_count: 0,
    created_at: now,
    updated_at: now,
    captured_at: now,
  })
  postFreeCapture(tx, row)
  await tx.flush()
  await refundDuplicate(tx, emit, row, acquirerKey(ended))
}

/** Starts the refund of a locked, approved duplicate payment, returns its fee, and emits `payment.duplicate`. */
export async function refundDuplicate(tx: Tx, emit: Emit, row: TransactionRow, paymentKey = acquirerKey(row)) {
  const refund = await startRefund(tx, row, { owed: true, paymentKey })
  await returnFee(tx, row, refund.id)
  emit('payment.duplicate', row)
}

/** Adds `late_payment_of` to the ended transaction's metadata, or replaces it if it has no room. */
function latePaymentMetadata({ id, metadata: given }: TransactionRow): Metadata {
  const label = { late_payment_of: id }
  const { data = label } = metadata.safeParse({ ...given, ...label })
  return data
}
