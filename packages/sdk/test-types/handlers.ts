import type { transaction, webhookDelivery } from '@cobro/contracts'
import type { Transaction } from '../src/generated/types.ts'
import { handleEvents } from '../src/handle-events.ts'
import type { Same, Sent } from './same.ts'

// Each expectation that is no error any more fails the type check.

export const same: Same<Transaction, Sent<typeof transaction>> = true

// @ts-expect-error Another object is not the same.
export const other: Same<Transaction, Sent<typeof webhookDelivery>> = true

// @ts-expect-error A field is missing, though it need not be sent.
export const fewer: Same<{ name: string }, { name: string; note?: string }> = true

// @ts-expect-error Anything is not the same as a text.
// biome-ignore lint/suspicious/noExplicitAny: this is what has to be found.
export const anything: Same<{ name: any }, { name: string }> = true

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
