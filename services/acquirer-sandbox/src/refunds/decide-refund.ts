import type { RefundFailure, RefundResponse } from '@cobro/acquirer'
import type { AcquirerRefundRow } from './acquirer-refund-entity.ts'

/** The payment to refund. */
export interface RefundablePayment {
  amount_cents: number
  currency: string
  /** Whether the payment was approved. */
  paid: boolean
  /** Whether it has an open or lost dispute. */
  disputed: boolean
  /** The sum of completed and processing refunds. */
  refunded_cents: number
  /** Whether its issuer refuses refunds. */
  unrefundable: boolean
}

/** A `late` decision is reported after a delay, as if the issuer had to be asked. */
interface Decision {
  status: Exclude<RefundResponse['status'], 'processing'>
  failure_code: RefundFailure | null
  late: boolean
}

const refused = (failure_code: RefundFailure, late = false): Decision => ({ status: 'failed', failure_code, late })

/** Decides the outcome of a refund. The sum of a payment's refunds never exceeds the payment. */
export function decideRefund(
  payment: RefundablePayment | undefined,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): Decision {
  if (!payment?.paid || payment.disputed || payment.currency !== currency) return refused('not_refundable')
  if (amount_cents > payment.amount_cents) return refused('not_refundable')
  if (payment.refunded_cents + amount_cents > payment.amount_cents) return refused('already_refunded')
  if (payment.unrefundable) return refused('refused', true)
  return { status: 'completed', failure_code: null, late: true }
}

/** Returns the response about a refund at a time. The refund of a reversed key has failed. */
export function refundResponseAt(refund: AcquirerRefundRow, now: Date): RefundResponse {
  const { key, reference, status, settles_at } = refund
  const fields = { key, reference, failure_code: null }
  if (status === 'reversed') return { ...fields, status: 'failed' }
  if (now < settles_at) return { ...fields, status: 'processing' }
  return { ...fields, status, failure_code: refund.failure_code ?? null }
}
