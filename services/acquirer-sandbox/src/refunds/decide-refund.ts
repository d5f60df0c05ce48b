import type { RefundFailure, RefundResponse } from '@cobro/acquirer'
import type { AcquirerRefundRow } from './acquirer-refund-entity.ts'

/** What is known of the payment that a refund is asked of. */
export interface RefundablePayment {
  amount_cents: number
  currency: string
  /** Whether the money ever came in. */
  paid: boolean
  /** Whether a dispute has taken the money back, or is about to decide that. */
  disputed: boolean
  /** What earlier refunds have given back or are giving back. */
  refunded_cents: number
  /** Whether its issuer takes nothing back. */
  unrefundable: boolean
}

/** `late` verdicts are told only after a while: the issuer has to be asked. The others are clear at once. */
interface Verdict {
  status: 'completed' | 'failed'
  failure_code: RefundFailure | null
  late: boolean
}

const refused = (failure_code: RefundFailure, late = false): Verdict => ({ status: 'failed', failure_code, late })

/** Decides what a refund comes to. All refunds of a payment together never exceed it. */
export function judgeRefund(
  payment: RefundablePayment | undefined,
  { amount_cents, currency }: { amount_cents: number; currency: string },
): Verdict {
  if (!payment?.paid || payment.disputed || payment.currency !== currency) return refused('not_refundable')
  if (amount_cents > payment.amount_cents) return refused('not_refundable')
  if (payment.refunded_cents + amount_cents > payment.amount_cents) return refused('already_refunded')
  if (payment.unrefundable) return refused('refused', true)
  return { status: 'completed', failure_code: null, late: true }
}

/** What is told of a refund's key at a moment. A reversed key is a refund that failed, whoever asks for it. */
export function tellRefund(refund: AcquirerRefundRow, now: Date): RefundResponse {
  const { key, reference, status, settles_at } = refund
  const told = { key, reference, failure_code: null }
  if (status === 'reversed') return { ...told, status: 'failed' }
  if (now < settles_at) return { ...told, status: 'processing' }
  return { ...told, status, failure_code: refund.failure_code ?? null }
}
