import { amountCents, currencyCode, isoTime } from '@cobro/contracts'
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

/** An idempotency key: one per attempt, never used for anything else. Charges, refunds and vouchers have keys each of their own. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'expected 1 to 255 visible ASCII characters' })

/** A charge, sent under an idempotency key in the header `Idempotency-Key`. */
export const chargeBody = z.strictObject({
  token: z.string().min(1).max(255),
  amount_cents: amountCents,
  currency: currencyCode,
})

/** What a charge came to. `key` is the charge's own, so that an answer to another request is not mistaken for it. */
export const chargeAnswer = z.object({
  key: z.string(),
  status: z.enum(['approved', 'declined', 'failed', 'processing']),
  reference: z.string().min(1).max(100),
  /** ISO 8583, data element 39: says why, never whether. Null while nothing is decided. */
  response_code: z.string().max(4).nullable(),
  risk_score: z.number().min(0).max(100).nullable(),
})

/** A refund of what was paid under another key: that of a charge or that of a voucher. */
export const refundBody = z
  .strictObject({
    charge_key: idempotencyKey.optional(),
    voucher_key: idempotencyKey.optional(),
    amount_cents: amountCents,
    currency: currencyCode,
  })
  .refine(body => (body.charge_key === undefined) !== (body.voucher_key === undefined), {
    path: ['charge_key'],
    error: 'expected either charge_key or voucher_key',
  })

/** What a refund came to. An accepted one is `processing` until the money has gone back, or has not. */
export const refundAnswer = z.object({
  key: z.string(),
  status: z.enum(['processing', 'completed', 'failed']),
  reference: z.string().min(1).max(100),
  /** One of `refundFailures`, where it failed. */
  failure_code: z.string().max(64).nullable(),
})

/** A voucher that is paid in cash, due at a moment. `concept` is printed on it. */
export const voucherBody = z.strictObject({
  amount_cents: amountCents,
  currency: currencyCode,
  due_at: isoTime,
  concept: z.string().min(1).max(120).optional(),
})

/** A voucher that was issued. */
export const issuedVoucher = z.object({
  key: z.string(),
  status: z.enum(['pending', 'paid', 'expired', 'withdrawn']),
  /** What the payer says at the counter. */
  reference: z.string().min(1).max(64),
  /** What a Code 128 symbol is to hold. */
  barcode: z.string().min(1).max(64),
  amount_cents: amountCents,
  currency: currencyCode,
  due_at: isoTime,
  paid_at: isoTime.nullable(),
})

/** What issuing a voucher came to. */
export const voucherAnswer = z.discriminatedUnion('status', [
  issuedVoucher,
  z.object({ key: z.string(), status: z.enum(['processing', 'failed']) }),
])

/** Nothing has come under a key. It is a 200 like every answer: a 404 could come from anything between us and the acquirer. */
export const notFoundAnswer = z.object({ key: z.string(), status: z.literal('not_found') })

/** Nothing had come under a key, and nothing ever will. */
export const reversedAnswer = z.object({ key: z.string(), status: z.literal('reversed') })

export type EncryptionKey = z.output<typeof encryptionKey>
export type CardToken = z.output<typeof cardToken>
export type ChargeBody = z.output<typeof chargeBody>
export type ChargeAnswer = z.output<typeof chargeAnswer>
export type RefundBody = z.output<typeof refundBody>
export type RefundAnswer = z.output<typeof refundAnswer>
export type VoucherBody = z.output<typeof voucherBody>
export type IssuedVoucher = z.output<typeof issuedVoucher>
export type VoucherAnswer = z.output<typeof voucherAnswer>
export type NotFoundAnswer = z.output<typeof notFoundAnswer>
export type ReversedAnswer = z.output<typeof reversedAnswer>
