import type { CommandData, EventData, Message, TransactionStatus } from '@cobro/contracts'
import { type Emit, eventMessage, replyMessage } from '@cobro/database'
import type { TransactionRow } from '../transactions/transaction-entity.ts'

// "settled" in the names of this event and of `settled_event_id` means that the attempt has an outcome. Both are part of the
// contract between services and of the schema; everywhere else, "settle" means paying out to a merchant.
type Resolution = EventData<'payment_attempt.settled'>

/** The fields that identify the attempt of a transaction and address messages about it. */
export type AttemptIdentity = Pick<
  TransactionRow,
  'payment_intent_id' | 'attempt' | 'merchant_id' | 'correlation_id' | 'payable_id'
>

/** Emits `payment_attempt.settled` and stores its id, or returns undefined without an outcome. */
export function emitAttemptResolution(emit: Emit, row: TransactionRow): Message | undefined {
  const data = resolutionOf(row)
  if (!data) return undefined
  const message = emit('payment_attempt.settled', data, envelopeOf(row))
  row.settled_event_id = message.id
  return message
}

/** Rebuilds the emitted message under its original id, to reply to a repeated command. */
export function attemptResolution(row: TransactionRow): Message | undefined {
  const data = resolutionOf(row)
  if (!data || !row.settled_event_id) return undefined
  return { ...eventMessage('payment_attempt.settled', data, envelopeOf(row)), id: row.settled_event_id }
}

/** Returns the reply to a command whose outcome is unknown. */
export function pendingReply(command: CommandData<'payment.resolve'>): Message {
  const { payment_intent_id, attempt } = command
  return replyMessage('payment_attempt.pending', { payment_intent_id, attempt }, envelopeOf(command))
}

const envelopeOf = ({
  merchant_id,
  correlation_id,
  payable_id,
}: Omit<AttemptIdentity, 'payment_intent_id' | 'attempt'>) => ({
  merchant_id,
  correlation_id,
  target_id: payable_id ?? null,
})

/** The attempt's status by its transaction's. A refunded or disputed attempt was approved. */
const attemptStatuses: Record<TransactionStatus, Resolution['status']> = {
  pending: 'pending',
  approved: 'approved',
  refunded: 'approved',
  chargeback: 'approved',
  declined: 'declined',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
}

function resolutionOf(row: TransactionRow): Resolution | undefined {
  const { payment_intent_id, attempt, decline_reason, id } = row
  const voucher = voucherOf(row)
  // A pending attempt counts as resolved once its voucher is issued.
  const resolved = row.status !== 'pending' || voucher !== null
  if (payment_intent_id == null || attempt == null || !resolved) return undefined
  const status = attemptStatuses[row.status]
  return { payment_intent_id, attempt, status, decline_reason: decline_reason ?? null, transaction_id: id, voucher }
}

function voucherOf({ voucher_reference: reference, voucher_barcode: barcode, voucher_due_at: due_at }: TransactionRow) {
  return reference && barcode && due_at ? { reference, barcode, due_at } : null
}
