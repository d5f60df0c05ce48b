import { amountCents, currencyCode } from '@cobro/contracts'
import { z } from 'zod'

/**
 * A public key that cards are encrypted to, as a JWK. Members that are not named here fall away, so that a private part
 * given by mistake is never passed on to a browser.
 */
export const encryptionKey = z.object({
  kty: z.enum(['EC', 'RSA']),
  kid: z.string().min(1),
  alg: z.enum(['ECDH-ES', 'RSA-OAEP-256']),
  use: z.literal('enc').optional(),
  crv: z.string().optional(),
  x: z.string().optional(),
  y: z.string().optional(),
  n: z.string().optional(),
  e: z.string().optional(),
})

/** The acquirer's keys, the one to encrypt to first. Keys of kinds unknown to us may stand beside it. */
export const encryptionKeys = z.object({ keys: z.array(z.unknown()) })

/** A card as a compact JWE, content `A256GCM`. */
export const tokenBody = z.strictObject({ card_jwe: z.string().min(1).max(8192) })

/** What the acquirer keeps of a card, and what may be shown of it. */
export const cardToken = z.object({
  token: z.string().min(1).max(255),
  brand: z.string().min(1).max(32),
  last4: z.string().regex(/^\d{4}$/),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int(),
})

/** A charge, sent under an idempotency key in the header `Idempotency-Key`. */
export const chargeBody = z.strictObject({
  token: z.string().min(1).max(255),
  amount_cents: amountCents,
  currency: currencyCode,
})

/** An idempotency key: one per attempt, never used for anything else. */
export const chargeKey = z.string().regex(/^[\x21-\x7e]{1,255}$/)

/** What a charge came to. `key` is the charge's own, so that an answer to another request is not mistaken for it. */
export const chargeAnswer = z.object({
  key: z.string(),
  status: z.enum(['approved', 'declined', 'failed', 'processing']),
  reference: z.string().min(1).max(100),
  /** ISO 8583, data element 39: says why, never whether. Null while nothing is decided. */
  response_code: z.string().max(4).nullable(),
  risk_score: z.number().min(0).max(100).nullable(),
})

/** What a key came to. It is a 200 in every case: a 404 could come from anything between us and the acquirer. */
export const findAnswer = z.discriminatedUnion('status', [
  chargeAnswer,
  z.object({ key: z.string(), status: z.literal('not_found') }),
])

/** What a reversal found: a charge, which it leaves alone, or nothing, which it makes final. */
export const reverseAnswer = z.discriminatedUnion('status', [
  chargeAnswer,
  z.object({ key: z.string(), status: z.literal('reversed') }),
])

export type EncryptionKey = z.output<typeof encryptionKey>
export type CardToken = z.output<typeof cardToken>
export type ChargeBody = z.output<typeof chargeBody>
export type ChargeAnswer = z.output<typeof chargeAnswer>
