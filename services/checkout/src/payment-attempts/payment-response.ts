import { ApiError, type DeclineReason, declineReasons, type hostedOperations, type ResponseOf } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { isLink, payableEntity } from '../payables/payable.ts'
import { redirectUrl } from '../payables/session-redirect.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow, voucherForPayer } from './payment-attempt-entity.ts'

/** What a payer is answered, where the payment was not refused. */
export type PaymentResponse = ResponseOf<typeof hostedOperations.pay>

/** Reasons that would tell a thief what the issuer knows. The transaction keeps the true one. */
const hiddenReasons = new Set<DeclineReason>(['lost_card', 'stolen_card', 'suspected_fraud'])

/** Answers from what is committed of an attempt. Throws the decline or failure that it came to. */
export async function paymentResponse(
  db: Database,
  { payment_intent_id, number, payable_id }: PaymentAttemptRow,
): Promise<PaymentResponse> {
  const attempt = await db.read(em => em.findOne(PaymentAttemptEntity, { payment_intent_id, number }))
  if (!attempt || attempt.status === 'running') return { status: 'pending' }
  if (attempt.status === 'pending') return { status: 'pending', ...voucherForPayer(attempt) }
  if (attempt.status === 'declined') throw new ApiError(shownReason(attempt.decline_reason))
  if (attempt.status === 'failed') throw new ApiError('processing_error')
  if (attempt.status !== 'approved') throw new ApiError('conflict', `the voucher is ${attempt.status}`)
  const payable = await db.read(em => em.findOne(payableEntity(payable_id), { id: payable_id }))
  const redirect = payable && !isLink(payable) && redirectUrl(payable)
  return { status: 'approved', ...(redirect ? { redirect_url: redirect } : {}) }
}

function shownReason(reason: PaymentAttemptRow['decline_reason']): DeclineReason {
  const known = declineReasons.find(one => one === reason)
  return known === undefined || hiddenReasons.has(known) ? 'card_declined' : known
}
