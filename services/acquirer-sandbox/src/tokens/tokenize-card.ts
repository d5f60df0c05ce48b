import type { CardToken } from '@cobro/acquirer'
import { ApiError, newId } from '@cobro/contracts'
import type { KeyPairDeps } from '../key-pairs/key-pairs.ts'
import { brandOfNumber, cardBehavior } from './card-behaviors.ts'
import { decryptCard } from './decrypt-card.ts'
import { TokenEntity } from './token-entity.ts'

/** Exchanges an encrypted card for a token. Rejects only unreadable cards; charges do the rest. */
export async function tokenizeCard(deps: KeyPairDeps, jwe: string): Promise<CardToken> {
  const card = await decryptCard(deps, jwe)
  if (!card) throw new ApiError('invalid_request', 'card_jwe: cannot be read')
  const { number, exp_month, exp_year } = card
  const cardToken = {
    token: newId('tok'),
    brand: brandOfNumber(number) ?? 'unknown',
    last4: number.slice(-4),
    exp_month,
    exp_year,
  }
  await deps.db.write(async tx => {
    tx.create(TokenEntity, { ...cardToken, behaviour: cardBehavior(card), created_at: new Date() })
  })
  return cardToken
}
