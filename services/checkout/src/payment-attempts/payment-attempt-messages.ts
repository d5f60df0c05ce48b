import type { CommandData, EventData } from '@cobro/contracts'
import { isLink, type Payable } from '../payables/payable.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'

/** Returns the data that all commands about an attempt share. It includes the metadata, so that transactions needs no query. */
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
    card: attempt.card,
    payer_email: attempt.payer_email,
    order_id: isLink(payable) ? null : payable.external_id,
    reference: isLink(payable) ? payable.reference : null,
    metadata: payable.metadata,
  }
}

/** Returns the data and the ids of `payment.attempted`, which is for the audit log. */
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
