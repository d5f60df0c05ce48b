import { compactDecrypt, decodeProtectedHeader } from 'jose'
import { z } from 'zod'
import { findDecryptionKey, type KeyPairDeps } from '../key-pairs/key-pairs.ts'
import { cardPurpose } from './card-purpose.ts'

/** A card in clear text. It exists only during the request that decrypts it. */
const cardDetails = z.object({
  number: z.string().regex(/^\d{8,19}$/),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int().min(2000).max(2199),
  cvc: z.string().max(8),
  holder_name: z.string().max(200),
})

export type CardDetails = z.output<typeof cardDetails>

/** A card, and the payment that it was encrypted for unless a page of the release before did so. */
const encryptedCard = z.union([
  cardDetails.extend(cardPurpose.shape).transform(({ payable_id, amount_cents, currency, iat, jti, ...card }) => ({
    card,
    purpose: { payable_id, amount_cents, currency, iat, jti },
  })),
  cardDetails
    .extend({ jti: z.undefined().optional() })
    .transform(({ jti: _none, ...card }) => ({ card, purpose: undefined })),
])

type EncryptedCard = z.output<typeof encryptedCard>

/**
 * Decrypts a card that was encrypted to one of our keys. Returns undefined if that fails, without a
 * reason, because reasons would help an attacker who tries out ciphertexts.
 */
export async function decryptCard(deps: KeyPairDeps, jwe: string): Promise<EncryptedCard | undefined> {
  const kid = kidOf(jwe)
  const key = kid && (await findDecryptionKey(deps, kid))
  if (!key) return undefined
  const options = { keyManagementAlgorithms: [key.alg], contentEncryptionAlgorithms: ['A256GCM'] }
  try {
    const { plaintext } = await compactDecrypt(jwe, key.privateKey, options)
    return encryptedCard.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(plaintext))).data
  } catch {
    return undefined
  }
}

function kidOf(jwe: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(jwe)
    return typeof kid === 'string' && !kid.includes('\0') ? kid : undefined
  } catch {
    return undefined
  }
}
