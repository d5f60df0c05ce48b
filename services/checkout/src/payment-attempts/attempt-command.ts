import type { CommandData } from '@cobro/contracts'
import { isLink, type Payable } from '../payables/payable.ts'
import type { AttemptRow } from './attempt-entity.ts'

/** What a command says of an attempt. The metadata goes along, so that no receiver has to ask back. */
export function attemptCommand(payable: Payable, attempt: AttemptRow): CommandData<'payment.resolve'> {
  return {
    payment_intent_id: attempt.payment_intent_id,
    attempt: attempt.number,
    payable_id: attempt.payable_id,
    payment_link_id: isLink(payable) ? payable.id : null,
    merchant_id: attempt.merchant_id,
    correlation_id: attempt.correlation_id,
    amount_cents: attempt.amount_cents,
    currency: attempt.currency,
    card: attempt.card ?? null,
    payer_email: attempt.payer_email ?? null,
    order_id: isLink(payable) ? null : (payable.external_id ?? null),
    reference: isLink(payable) ? (payable.reference ?? null) : null,
    metadata: payable.metadata ?? null,
  }
}
