import type { ChargeResponse } from '@cobro/acquirer'
import { type Course, courses } from '../tokens/card-behaviours.ts'
import type { TokenRow } from '../tokens/token-entity.ts'
import type { ChargeRow } from './charge-entity.ts'

type Card = Pick<TokenRow, 'behaviour' | 'exp_month' | 'exp_year'>

/** ISO 8583's "record not found": the token is none of ours, which says nothing about any card. */
const unknownToken: Course = { ...courses.processing_error, response_code: '25' }

/** Decides what a charge of a card comes to, and how its caller is answered. */
export function judgeCharge(card: Card | null, now: Date): Course {
  if (!card) return unknownToken
  if (card.behaviour !== 'incorrect_number' && hasExpired(card, now)) return courses.expired
  return courses[card.behaviour]
}

/** A card is good through the last day of its month, which ends twelve hours after UTC's in the last time zone. */
function hasExpired({ exp_month, exp_year }: Card, now: Date): boolean {
  return Date.UTC(exp_year, exp_month, 1, 12) <= now.getTime()
}

/** What is told of a key at a moment. A reversed key is a charge that failed, whoever asks for it. */
export function tellCharge(charge: ChargeRow, now: Date): ChargeResponse {
  const { key, reference, status, settles_at } = charge
  if (status === 'reversed' || now >= settles_at) return settledCharge(charge)
  return { key, reference, status: 'processing', response_code: null, risk_score: null }
}

/** A charge once its outcome may be known. */
export function settledCharge({ key, reference, status, response_code, risk_score }: ChargeRow) {
  if (status === 'reversed') return { key, reference, status: 'failed' as const, response_code: null, risk_score: null }
  return { key, reference, status, response_code, risk_score }
}
