import type { CardToken } from '@cobro/acquirer'
import { ApiError, newId } from '@cobro/contracts'
import type { KeyPairDeps } from '../key-pairs/key-pairs.ts'
import { behaviourOf, brandOfNumber } from './card-behaviours.ts'
import { decryptCard } from './decrypt-card.ts'
import { TokenEntity } from './token-entity.ts'

/** Makes a token of an encrypted card. Refuses only what cannot be read: every judgement about a card is its charge's. */
export async function tokenizeCard(deps: KeyPairDeps, jwe: string): Promise<CardToken> {
  const card = await decryptCard(deps, jwe)
  if (!card) throw new ApiError('invalid_request', 'card_jwe: cannot be read')
  const { number, exp_month, exp_year } = card
  const shown = {
    token: newId('tok'),
    brand: brandOfNumber(number) ?? 'unknown',
    last4: number.slice(-4),
    exp_month,
    exp_year,
  }
  await deps.db.write(async tx => {
    tx.create(TokenEntity, { ...shown, behaviour: behaviourOf(card), created_at: new Date() })
  })
  return shown
}
