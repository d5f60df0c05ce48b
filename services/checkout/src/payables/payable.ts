import { isId, type PayableId } from '@cobro/contracts'
import type { EntitySchema } from '@mikro-orm/core'
import { LinkEntity, type LinkRow } from './link-entity.ts'
import { SessionEntity, type SessionRow } from './session-entity.ts'

/** A checkout session or payment link. Both share payment attempts, cancellation and expiry. */
export type Payable = SessionRow | LinkRow

/** Transitions of sessions and links. A declined or failed attempt is none: the payer may retry. */
export type PayableTransition = 'complete' | 'expire' | 'cancel'

/** Distinguishes links from sessions. */
export function isLink(payable: Payable): payable is LinkRow {
  return isId('pl', payable.id)
}

/** Returns the entity of a session's or link's id. */
export function payableEntity(id: PayableId): EntitySchema<Payable> {
  return (isId('pl', id) ? LinkEntity : SessionEntity) as EntitySchema<Payable>
}

/** Returns the amount to pay, in cents. */
export function amountOf(payable: Payable): number {
  return isLink(payable) ? payable.amount_cents : payable.amount_total
}

/** Returns the payer's email address if the merchant provided one. */
export function payerEmailOf(payable: Payable): string | null {
  return (isLink(payable) ? payable.payer_email : payable.customer?.email) ?? null
}

/** The statuses of sessions and links that can still be paid: every other status is final. */
export const openPayableStatuses = ['pending', 'active'] as const

export function isOpen({ status }: Payable): boolean {
  return openPayableStatuses.some(open => open === status)
}

/** Returns the name of the payable in error details. */
export function labelOf(payable: Payable): string {
  return isLink(payable) ? 'the link' : 'the session'
}

/** Sets the time of the last change. */
export function touch(payable: Payable, now: Date): void {
  if (isLink(payable)) payable.updated_at = now
  else payable.modified_at = now
}
