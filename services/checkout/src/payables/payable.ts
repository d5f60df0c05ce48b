import { isId } from '@cobro/contracts'
import type { EntitySchema } from '@mikro-orm/core'
import { SessionEntity, type SessionRow } from '../checkout-sessions/session-entity.ts'
import { LinkEntity, type LinkRow } from '../payment-links/link-entity.ts'

/** What a payer can be asked to pay: a checkout session or a payment link. Attempts, freezing and expiry are the same for both. */
export type Payable = SessionRow | LinkRow

/** Tells a link from a session. */
export function isLink(payable: Payable): payable is LinkRow {
  return isId('pl', payable.id)
}

/** The table that an id of a session or link belongs to. */
export function payableEntity(id: string): EntitySchema<Payable> {
  return (isId('pl', id) ? LinkEntity : SessionEntity) as EntitySchema<Payable>
}

/** What is asked for, in minor units. */
export function amountOf(payable: Payable): number {
  return isLink(payable) ? payable.amount_cents : payable.amount_total
}

/** Whom the payment is expected from, if the merchant said so. */
export function payerEmailOf(payable: Payable): string | null {
  return (isLink(payable) ? payable.payer_email : payable.customer?.email) ?? null
}

/** Whether it waits for its payer: every other status is final. */
export function isOpen(payable: Payable): boolean {
  return payable.status === 'pending' || payable.status === 'active'
}

/** How errors call it. */
export function nameOf(payable: Payable): string {
  return isLink(payable) ? 'the link' : 'the session'
}

/** Notes when it was last changed. */
export function touch(payable: Payable, now: Date): void {
  if (isLink(payable)) payable.updated_at = now
  else payable.modified_at = now
}
