import type { checkoutSession, paymentLink, transaction, webhookDelivery } from '@cobro/contracts'
import type { CheckoutSession, PaymentLink, Transaction } from '../src/generated/event-types.ts'
import { handleEvents } from '../src/handle-events.ts'

// The types of the SDK are those that the API sends. Each expectation that is no error any more fails the type check.

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Sent<Schema extends { _zod: { input: unknown } }> = Schema['_zod']['input']

export const same: Same<Transaction, Sent<typeof transaction>> &
  Same<CheckoutSession, Sent<typeof checkoutSession>> &
  Same<PaymentLink, Sent<typeof paymentLink>> = true

// @ts-expect-error Another object is not the same.
export const other: Same<Transaction, Sent<typeof webhookDelivery>> = true

export const handle = handleEvents({
  'payment.approved': ({ amount_cents }, { created_at }) => [
    amount_cents satisfies number,
    created_at satisfies string,
  ],
  // @ts-expect-error The event of a session has no amount in cents.
  'checkout_session.created': ({ amount_cents }) => amount_cents,
  // @ts-expect-error No such event exists.
  'payment.payed': () => undefined,
})
