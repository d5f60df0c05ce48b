import type { CommandData, EventData } from '@cobro/contracts'
import { isLink, type Payable } from '../payables/payable.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'

/** Returns the data shared by commands about an attempt. Metadata spares transactions a query. */
export function attemptCommand(payable: Payable, attempt: PaymentAttemptRow): CommandData<'payment.resolve'> {
  return {
    ...attempt,
    attempt: attempt.number,
    payment_link_id: isLink(payable) ? payable.id : null,
    order_id: isLink(payable) ? null : payable.external_id,
    reference: isLink(payable) ? payable.reference : null,
    metadata: payable.metadata,
  }
}

type AttemptedEvent = EventData<'payment.attempted'> & Pick<PaymentAttemptRow, 'merchant_id' | 'correlation_id'>

/** Returns the data of `payment.attempted` for the audit log, with the ids of its envelope. */
export function attemptedEvent(payable: Payable, attempt: PaymentAttemptRow): AttemptedEvent {
  return { ...attempt, id: payable.id, attempt: attempt.number }
}
