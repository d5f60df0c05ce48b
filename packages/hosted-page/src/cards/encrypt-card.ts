import { CompactEncrypt, importJWK, type JWK } from 'jose'

/** A card in the acquirer's format: the year with four digits, the number without spaces. */
export interface CardDetails {
  readonly number: string
  readonly exp_month: number
  readonly exp_year: number
  readonly cvc: string
  readonly holder_name: string
}

/** The payment that a card is encrypted for. The acquirer rejects the card for any other one. */
export interface CardPurpose {
  readonly payable_id: string
  readonly amount_cents: number
  readonly currency: string
  /** When the card is encrypted by the server's clock, in seconds since the epoch. */
  readonly iat: number
}

/**
 * Encrypts a card to the acquirer's public key as a compact JWE, which only the acquirer can read
 * and only for one attempt of the payment. Needs `crypto.subtle`: https, localhost, or Node. Throws if the key has no
 * `alg` or cannot be used.
 */
export async function encryptCard(key: JWK, card: CardDetails, purpose: CardPurpose): Promise<string> {
  const { alg, kid } = key
  if (!alg) throw new TypeError('the encryption key has no alg')
  const plaintext = new TextEncoder().encode(JSON.stringify({ ...card, ...purpose, jti: crypto.randomUUID() }))
  return new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg, enc: 'A256GCM', ...(kid && { kid }) })
    .encrypt(await importJWK(key, alg))
}
