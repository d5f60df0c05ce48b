import type { ChargeResponse } from '@cobro/acquirer'
import { type Scenario, scenarios } from '../tokens/card-behaviors.ts'
import type { TokenRow } from '../tokens/token-entity.ts'
import type { ChargeRow } from './charge-entity.ts'

type Card = Pick<TokenRow, 'behaviour' | 'exp_month' | 'exp_year'>

/** ISO 8583's "record not found", for an unknown token. It says nothing about a card. */
const unknownToken: Scenario = { ...scenarios.processing_error, response_code: '25' }

/** Decides the outcome of a charge and how the sandbox responds. */
export function decideCharge(card: Card | null, now: Date): Scenario {
  if (!card) return unknownToken
  if (card.behaviour !== 'incorrect_number' && hasExpired(card, now)) return scenarios.expired
  return scenarios[card.behaviour]
}

/** Returns whether the card's month has ended in every time zone, 12 hours after its end in UTC. */
function hasExpired({ exp_month, exp_year }: Card, now: Date): boolean {
  return Date.UTC(exp_year, exp_month, 1, 12) <= now.getTime()
}

/** Returns the response about a charge at a time. The charge of a reversed key has failed. */
export function chargeResponseAt(charge: ChargeRow, now: Date): ChargeResponse {
  const { key, reference, status, settles_at } = charge
  if (status === 'reversed' || now >= settles_at) return finalCharge(charge)
  return { key, reference, status: 'processing', response_code: null, risk_score: null }
}

/** Returns a charge with its final outcome. */
export function finalCharge({ key, reference, status, response_code, risk_score }: ChargeRow) {
  if (status === 'reversed') return { key, reference, status: 'failed' as const, response_code: null, risk_score: null }
  return { key, reference, status, response_code, risk_score }
}
