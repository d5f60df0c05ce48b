import { CompactEncrypt, importJWK, type JWK } from 'jose'

/** A card in the acquirer's format: the year with four digits, the number without spaces. */
export interface CardDetails {
  readonly number: string
  readonly exp_month: number
  readonly exp_year: number
  readonly cvc: string
  readonly holder_name: string
}

/**
 * Encrypts a card to the acquirer's public key as a compact JWE, which only the acquirer can read.
 * Needs `crypto.subtle`: https, localhost, or Node. Throws if the key has no `alg` or cannot be used.
 */
export async function encryptCard(key: JWK, card: CardDetails): Promise<string> {
  const { alg, kid } = key
  if (!alg) throw new TypeError('the encryption key has no alg')
  const plaintext = new TextEncoder().encode(JSON.stringify(card))
  return new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg, enc: 'A256GCM', ...(kid && { kid }) })
    .encrypt(await importJWK(key, alg))
}
