import { type Metadata, metadata, newId } from '@cobro/contracts'
import { type Emit, newRow, type Tx } from '@cobro/database'
import { postFreeCapture } from '../ledger/post-capture.ts'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { startRefund } from './start-refund.ts'

/**
 * Books money that came after its transaction had ended: an approved transaction of its own, told as a duplicate, whose refund
 * is asked for at once. `first` is the ended transaction, locked, so that however often the money is told it is booked once.
 */
export async function bookLatePayment(
  tx: Tx,
  emit: Emit,
  first: TransactionRow,
  paid: { acquirer_reference: string | null; risk_score?: number | null },
): Promise<void> {
  if (await tx.findOne(TransactionEntity, { late_payment_of: first.id })) return
  const now = new Date()
  const { merchant_id, correlation_id, payment_link_id, order_id, reference, payer_email, customer_ref } = first
  const { type, rail, payment_method, amount_cents, currency, card } = first
  const row = newRow(tx, TransactionEntity, {
    ...{ merchant_id, correlation_id, payment_link_id, order_id, reference, payer_email, customer_ref },
    ...{ type, rail, payment_method, amount_cents, currency, card },
    id: newId('txn'),
    payment_intent_id: newId('pi'),
    late_payment_of: first.id,
    metadata: labelled(first),
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
  await giveBack(tx, emit, row, acquirerKey(first))
}

/** Tells that a locked, approved transaction was one too many, and begins to give it back. */
export async function giveBack(tx: Tx, emit: Emit, row: TransactionRow, paymentKey = acquirerKey(row)): Promise<void> {
  await startRefund(tx, row, { owed: true, paymentKey })
  emit('payment.duplicate', row)
}

/** Metadata that is full already gives way: what the money is counts more than what its session said. */
function labelled({ id, metadata: given }: TransactionRow): Metadata {
  const label = { late_payment_of: id }
  const { data = label } = metadata.safeParse({ ...given, ...label })
  return data
}
