import { ApiError, hostedOperations, type ResponseOf } from '@cobro/contracts'
import { type Database, findRow, storeAnswerLast, type Tx } from '@cobro/database'
import { encodeAnswer, type Reply, reply } from '@cobro/http'
import { isLink, type Payable, payableEntity } from '../payables/payable.ts'
import { redirectUrl } from '../payables/session-redirect.ts'
import { decline402 } from './decline-402.ts'
import { voucherForPayer } from './find-payment-attempts.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'

/** The response to a payment that was neither rejected nor declined. */
export type PaymentResponse = ResponseOf<typeof hostedOperations.pay>

/** Returns the response from an attempt's committed state. Throws if it was declined or failed. */
export async function readPaymentResponse(
  db: Database,
  { payment_intent_id, number, payable_id }: PaymentAttemptRow,
): Promise<PaymentResponse> {
  const attempt = await db.read(em => findRow(em, PaymentAttemptEntity, { payment_intent_id, number }))
  if (!attempt) return { status: 'pending' }
  const payable = await db.read(em => findRow(em, payableEntity(payable_id), { id: payable_id }))
  return paymentResponse({ attempt, payable })
}

interface Committed {
  attempt: PaymentAttemptRow
  payable: Payable | null
}

/** Returns the reply with a response. Its status is 202 while the outcome is unknown. */
export function paymentReply(response: PaymentResponse, stored?: { isStored: boolean }): Reply<PaymentResponse> {
  return reply(response.status === 'pending' ? 202 : 200, response, stored)
}

/**
 * Stores the response to an approved payment with its outcome, if its call has an Idempotency-Key.
 * Returns whether it does. All other responses are stored after the call.
 */
export function storePaymentResponse(tx: Tx, schema: string, committed: Committed): boolean {
  const { status, idempotency_id, correlation_id, merchant_id } = committed.attempt
  if (status !== 'approved' || idempotency_id === null) return false
  try {
    const answer = encodeAnswer(hostedOperations.pay, paymentReply(paymentResponse(committed)))
    storeAnswerLast(tx, schema, idempotency_id, { ...answer, correlation_id, merchant_id })
    return true
  } catch {
    // The outcome counts without its response. The call tries again, and reports the error.
    return false
  }
}

/** Like `readPaymentResponse`, for an attempt and a session or link in their committed state. */
export function paymentResponse({ attempt, payable }: Committed): PaymentResponse {
  if (attempt.status === 'running') return { status: 'pending' }
  const voucher = voucherForPayer(attempt)
  if (attempt.status === 'pending') return { status: 'pending', ...(voucher && { voucher }) }
  if (attempt.status === 'declined') throw decline402(attempt.decline_reason)
  if (attempt.status === 'failed') throw new ApiError('processing_error')
  if (attempt.status !== 'approved') throw new ApiError('conflict', `the voucher is ${attempt.status}`)
  const redirect = payable && !isLink(payable) && redirectUrl(payable)
  return { status: 'approved', ...(redirect ? { redirect_url: redirect } : {}) }
}
