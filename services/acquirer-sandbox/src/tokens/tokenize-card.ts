import type { CardPayment, CardToken } from '@cobro/acquirer'
import { ApiError, newId } from '@cobro/contracts'
import type { KeyPairDeps } from '../key-pairs/key-pairs.ts'
import { brandOfNumber, cardBehavior } from './card-behaviors.ts'
import { cardFingerprint } from './card-fingerprint.ts'
import { isForPayment, isFresh } from './card-purpose.ts'
import { type CardDetails, decryptCard } from './decrypt-card.ts'
import { storeToken } from './stored-tokens.ts'
import type { TokenRow } from './token-entity.ts'

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
  const row = tokenRow(card)
  const fingerprint = await cardFingerprint(deps, card.number)
  if (!purpose || !payment) {
    if (!(await acceptsUnbound(deps))) throw rejected('is not encrypted for a payment')
    await storeToken(deps.db, row, undefined)
    return cardToken(row, fingerprint)
  }
  if (!isForPayment(purpose, payment)) throw rejected('is encrypted for another payment')
  const use = { jti: purpose.jti, attempt: payment.attempt }
  const fresh = isFresh(purpose, Date.now())
  if (fresh && (await storeToken(deps.db, row, use))) return cardToken(row, fingerprint)
  const earlier = await findUse(deps, use.jti)
  if (!earlier) throw rejected('was encrypted more than ten minutes ago')
  if (earlier.attempt !== use.attempt) throw rejected('was used for another attempt')
  return cardToken(earlier, fingerprint)
}

const rejected = (why: string) => new ApiError('invalid_request', `card_jwe: ${why}`)

/** Returns the token that an encrypted card was exchanged for, and the attempt that it was for. */
async function findUse({ db }: KeyPairDeps, jti: string): Promise<(TokenRow & { attempt: string }) | undefined> {
  const [use] = await db.execute<TokenRow & { attempt: string }>(
    `select tokens.*, attempt from acquirer_sandbox.card_uses join acquirer_sandbox.tokens using (token) where jti = ?`,
    [jti],
  )
  return use
}

/** Whether pages of the release before may still be open, which encrypt cards for no payment. */
async function acceptsUnbound({ db }: KeyPairDeps): Promise<boolean> {
  const select = 'select from acquirer_sandbox.unbound_cards where accepted_until > now()'
  return (await db.execute(select)).length > 0
}

function tokenRow(card: CardDetails): TokenRow {
  const { number, exp_month, exp_year } = card
  const brand = brandOfNumber(number) ?? 'unknown'
  const shown = { brand, last4: number.slice(-4), exp_month, exp_year }
  return { token: newId('tok'), ...shown, behaviour: cardBehavior(card), created_at: new Date() }
}

/** Returns what the API shows of a stored card. */
function cardToken({ token, brand, last4, exp_month, exp_year }: TokenRow, fingerprint: string): CardToken {
  return { token, brand, last4, exp_month, exp_year, fingerprint }
}
