import type { TransactionDetails, WebhookDelivery } from '@cobro/sdk/admin'
import type { paymentTexts } from '../../text/payment-texts.ts'

type Payment = Pick<
  TransactionDetails,
  'status' | 'decline_reason' | 'payment_method' | 'refund_status' | 'manual_refund'
>

const openMs = 2_000
/** A person needs days for a transfer. */
const manualMs = 60_000

/** Returns how often an open payment is read again; false for one whose state is final. */
export function refreshEveryMs({ status, refund_status, manual_refund }: Payment): number | false {
  if (manual_refund) return manualMs
  return status === 'pending' || refund_status === 'processing' ? openMs : false
}

const early = 4

/**
 * Returns how often the deliveries of a payment are read again: while one is on its way, and a few times after a change of the
 * payment, since they are sent a moment later.
 */
export function deliveriesEveryMs(
  rows: readonly Pick<WebhookDelivery, 'status' | 'attempt_count'>[],
  reads: number,
): number | false {
  const isUnderWay = rows.some(
    ({ status, attempt_count }) => status === 'delivering' || (status === 'pending' && attempt_count === 0),
  )
  return isUnderWay || reads < early ? openMs : false
}

/** Returns what happened to a payment in plain words. */
export function sentenceOf(payment: Payment, texts: (typeof paymentTexts)['es']): string {
  const { status, decline_reason, refund_status, manual_refund } = payment
  if (status === 'declined') return `${texts.sentences.declined} ${texts.reasons[decline_reason ?? 'card_declined']}`
  const sentences = [texts.sentences[status]]
  if (refund_status && status !== 'refunded')
    sentences.push(texts.refundSentences[manual_refund ? 'manual' : refund_status])
  if (refund_status === 'failed' && isRefundable(payment)) sentences.push(texts.refundAgain)
  return sentences.join(' ')
}

const captured: readonly Payment['status'][] = ['approved', 'refunded', 'chargeback']

/** Returns whether a payment has taken money, also where it was given back. */
export const isCaptured = ({ status }: Payment): boolean => captured.includes(status)

/** Returns why a captured payment cannot be refunded now; undefined where it can. */
export function refundObstacle(payment: Payment): keyof (typeof paymentTexts)['es']['refundObstacles'] | undefined {
  const { status, payment_method, refund_status } = payment
  if (status === 'refunded' || refund_status === 'completed') return 'refunded'
  if (refund_status === 'processing') return 'processing'
  if (status === 'chargeback') return 'chargeback'
  return payment_method === 'cash' ? 'cash' : undefined
}

/** Returns whether a payment can be refunded now. */
export const isRefundable = (payment: Payment): boolean => isCaptured(payment) && refundObstacle(payment) === undefined
