import type { CardPayment, CardToken } from '@cobro/acquirer'
import { ApiError, newId } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { KeyPairDeps } from '../key-pairs/key-pairs.ts'
import { brandOfNumber, cardBehavior } from './card-behaviors.ts'
import { isForPayment, isFresh } from './card-purpose.ts'
import { type CardDetails, decryptCard } from './decrypt-card.ts'
import { TokenEntity } from './token-entity.ts'

interface TokenRequest {
  card_jwe: string
  payment?: CardPayment | undefined
}

/**
 * Exchanges an encrypted card for a token. Rejects cards that are unreadable, were encrypted for
 * another payment or too long ago, or were used for another attempt; charges do the rest.
 */
export async function tokenizeCard(deps: KeyPairDeps, { card_jwe, payment }: TokenRequest): Promise<CardToken> {
  const decrypted = await decryptCard(deps, card_jwe)
  if (!decrypted) throw rejected('cannot be read')
  const { card, purpose } = decrypted
  if (!purpose || !payment) {
    if (!(await acceptsUnbound(deps))) throw rejected('is not encrypted for a payment')
    return deps.db.write(async tx => storeToken(tx, card))
  }
  if (!isForPayment(purpose, payment)) throw rejected('is encrypted for another payment')
  return deps.db.write(async tx => {
    const token = newId('tok')
    const earlier = await useCard(tx, { jti: purpose.jti, attempt: payment.attempt, token })
    if (!earlier) {
      if (!isFresh(purpose, Date.now())) throw rejected('was encrypted more than ten minutes ago')
      return storeToken(tx, card, token)
    }
    if (earlier.attempt !== payment.attempt) throw rejected('was used for another attempt')
    const { created_at: _time, behaviour: _secret, ...stored } = await tx.findOneOrFail(TokenEntity, earlier.token)
    return stored
  })
}

const rejected = (why: string) => new ApiError('invalid_request', `card_jwe: ${why}`)

interface CardUse {
  jti: string
  attempt: string
  token: string
}

/** Stores that an encrypted card is used for an attempt. Returns the earlier use if there is one. */
async function useCard(tx: Tx, { jti, attempt, token }: CardUse): Promise<CardUse | undefined> {
  const insert = `
    insert into acquirer_sandbox.card_uses (jti, attempt, token, used_at) values (?, ?, ?, now())
    on conflict do nothing returning jti`
  if ((await tx.execute(insert, [jti, attempt, token])).length > 0) return undefined
  const select = 'select jti, attempt, token from acquirer_sandbox.card_uses where jti = ?'
  const [earlier] = await tx.execute<CardUse[]>(select, [jti])
  return earlier
}

/** Whether pages of the release before may still be open, which encrypt cards for no payment. */
async function acceptsUnbound({ db }: KeyPairDeps): Promise<boolean> {
  const select = 'select from acquirer_sandbox.unbound_cards where accepted_until > now()'
  return (await db.execute(select)).length > 0
}

function storeToken(tx: Tx, card: CardDetails, token = newId('tok')): CardToken {
  const { number, exp_month, exp_year } = card
  const brand = brandOfNumber(number) ?? 'unknown'
  const cardToken = { token, brand, last4: number.slice(-4), exp_month, exp_year }
  tx.create(TokenEntity, { ...cardToken, behaviour: cardBehavior(card), created_at: new Date() })
  return cardToken
}
