import type { CommandData, EventData } from '@cobro/contracts'
import { isLink, type Payable } from '../payables/payable.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'

/** What a command says of an attempt. The metadata goes along, so that no receiver has to ask back. */
export function attemptCommand(payable: Payable, attempt: PaymentAttemptRow): CommandData<'payment.resolve'> {
  return {
    payment_intent_id: attempt.payment_intent_id,
    attempt: attempt.number,
    payable_id: attempt.payable_id,
    payment_link_id: isLink(payable) ? payable.id : null,
    merchant_id: attempt.merchant_id,
    correlation_id: attempt.correlation_id,
    amount_cents: attempt.amount_cents,
    currency: attempt.currency,
    payment_method: attempt.payment_method,
    card: attempt.card ?? null,
    payer_email: attempt.payer_email ?? null,
    order_id: isLink(payable) ? null : (payable.external_id ?? null),
    reference: isLink(payable) ? (payable.reference ?? null) : null,
    metadata: payable.metadata ?? null,
  }
}

/** What the audit log is told of an attempt, and which payment it belongs to. */
export function attemptedEvent(payable: Payable, attempt: PaymentAttemptRow) {
  const { id, merchant_id, correlation_id, currency } = payable
  const card = attempt.card ? { brand: attempt.card.brand, last4: attempt.card.last4 } : null
  const data: EventData<'payment.attempted'> = {
    id,
    attempt: attempt.number,
    amount_cents: attempt.amount_cents,
    currency,
    card,
  }
  return [data, { merchant_id, correlation_id }] as const
}
