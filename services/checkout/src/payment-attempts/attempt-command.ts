import type { CommandData } from '@cobro/contracts'
import type { SessionRow } from '../checkout-sessions/session-entity.ts'
import type { AttemptRow } from './attempt-entity.ts'

/** What a command says of an attempt. The session's metadata goes along, so that no receiver has to ask back. */
export function attemptCommand(session: SessionRow, attempt: AttemptRow): CommandData<'payment.resolve'> {
  return {
    payment_intent_id: attempt.payment_intent_id,
    attempt: attempt.number,
    payable_id: attempt.payable_id,
    payment_link_id: null,
    merchant_id: attempt.merchant_id,
    correlation_id: attempt.correlation_id,
    amount_cents: attempt.amount_cents,
    currency: attempt.currency,
    card: attempt.card ?? null,
    payer_email: attempt.payer_email ?? null,
    order_id: session.external_id ?? null,
    reference: null,
    metadata: session.metadata ?? null,
  }
}
