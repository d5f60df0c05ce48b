import type { CardPayment } from '@cobro/acquirer'
import { z } from 'zod'

/** The payment that a card was encrypted for, when, and an id that is used for one attempt only. */
export const cardPurpose = z.object({
  payable_id: z.string(),
  amount_cents: z.int(),
  currency: z.string(),
  /** Seconds since the epoch. */
  iat: z.int(),
  jti: z.string().min(16).max(64),
})

type CardPurpose = z.output<typeof cardPurpose>

/** How long an encrypted card can be used, and how far the clock of the page's server may be ahead. */
const maxAgeSeconds = 600
const maxAheadSeconds = 60

/** Returns whether a card was encrypted for this payment. */
export function isForPayment(purpose: CardPurpose, payment: CardPayment): boolean {
  const { payable_id, amount_cents, currency } = payment
  return purpose.payable_id === payable_id && purpose.amount_cents === amount_cents && purpose.currency === currency
}

/** Returns whether a card was encrypted in the last ten minutes. */
export function isFresh({ iat }: CardPurpose, nowMs: number): boolean {
  const age = nowMs / 1000 - iat
  return age <= maxAgeSeconds && age >= -maxAheadSeconds
}
