import { type EventData, type Message, newId, type TransactionStatus } from '@cobro/contracts'
import { type Emit, eventMessage } from '@cobro/database'
import type { TransactionRow } from './transaction-entity.ts'

type Settled = EventData<'payment_attempt.settled'>
/** What says which attempt a transaction is. */
export type AttemptRow = Pick<
  TransactionRow,
  'payment_intent_id' | 'attempt' | 'merchant_id' | 'correlation_id' | 'payable_id'
>

/** Tells checkout what an attempt came to, and notes under which event id. Nothing is told while nobody knows. */
export function tellSettled(emit: Emit, row: TransactionRow): Message | undefined {
  const data = outcomeOf(row)
  if (!data) return undefined
  const message = emit('payment_attempt.settled', data, aboutAttempt(row))
  row.settled_event_id = message.id
  return message
}

/** The message that told checkout the outcome, made again under its own id: the answer to a command that came twice. */
export function settledMessage(row: TransactionRow): Message | undefined {
  const data = outcomeOf(row)
  if (!data || !row.settled_event_id) return undefined
  return { ...eventMessage('payment_attempt.settled', data, aboutAttempt(row)), id: row.settled_event_id }
}

/** The answer while the outcome is unknown. It is no event: nobody stores it, and the outcome follows as one. */
export function pendingAnswer(row: AttemptRow): Message {
  return {
    ...aboutAttempt(row),
    id: newId('evt'),
    name: 'payment_attempt.pending',
    occurred_at: new Date().toISOString(),
    request_id: null,
    actor: { type: 'system', id: null },
    data: { payment_intent_id: row.payment_intent_id, attempt: row.attempt },
  }
}

const aboutAttempt = ({ merchant_id, correlation_id, payable_id }: AttemptRow) => ({
  merchant_id,
  correlation_id,
  target_id: payable_id ?? null,
})

const outcomes: Record<TransactionStatus, Settled['status']> = {
  pending: 'pending',
  approved: 'approved',
  refunded: 'approved',
  chargeback: 'approved',
  declined: 'declined',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
}

function outcomeOf(row: TransactionRow): Settled | undefined {
  const { payment_intent_id, attempt, decline_reason, id } = row
  const voucher = voucherOf(row)
  // A pending one has come to something once a voucher is out.
  const known = row.status !== 'pending' || voucher !== null
  if (payment_intent_id == null || attempt == null || !known) return undefined
  const status = outcomes[row.status]
  return { payment_intent_id, attempt, status, decline_reason: decline_reason ?? null, transaction_id: id, voucher }
}

function voucherOf({
  voucher_reference,
  voucher_barcode,
  voucher_due_at,
}: TransactionRow): (Settled['voucher'] & object) | null {
  if (!voucher_reference || !voucher_barcode || !voucher_due_at) return null
  return { reference: voucher_reference, barcode: voucher_barcode, due_at: voucher_due_at }
}
