import { amountCents, currencyCode, isoTime } from '@cobro/contracts'
import { z } from 'zod'

/**
 * A public key that cards are encrypted to, as a JWK. Parsing drops all other members, so that a
 * private part sent by mistake never reaches a browser.
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

/** The payment that a card has to be encrypted for. `attempt` is unique per attempt. */
const cardPayment = z.strictObject({
  payable_id: z.string().min(1).max(64),
  amount_cents: amountCents,
  currency: currencyCode,
  attempt: z.string().min(1).max(255),
})

export type CardPayment = z.output<typeof cardPayment>

/** A card as a compact JWE with content encryption `A256GCM`. The release before sends no `payment`. */
export const tokenBody = z.strictObject({ card_jwe: z.string().min(1).max(8192), payment: cardPayment.optional() })

/** A stored card's token and the displayable parts of the card. */
export const cardToken = z.object({
  token: z.string().min(1).max(255),
  brand: z.string().min(1).max(32),
  last4: z.string().regex(/^\d{4}$/),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int(),
  /** The same for each token of a card number, from which it cannot be found. Some acquirers answer none. */
  fingerprint: z
    .string()
    .min(1)
    .max(255)
    .nullish()
    .transform(text => text ?? undefined),
})

/** An idempotency key: one per attempt. Charges, refunds and vouchers have separate key spaces. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'expected 1 to 255 visible ASCII characters' })

/** A charge, sent under an idempotency key in the header `Idempotency-Key`. */
export const chargeBody = z.strictObject({
  token: z.string().min(1).max(255),
  amount_cents: amountCents,
  currency: currencyCode,
})

/** The outcome of a charge. Its `key` shows that it is not the response to another request. */
export const chargeResponse = z.object({
  key: z.string(),
  status: z.enum(['approved', 'declined', 'failed', 'processing']),
  reference: z.string().min(1).max(100),
  /** ISO 8583, data element 39: explains the status, never replaces it; null while `processing`. */
  response_code: z.string().max(4).nullable(),
  risk_score: z.number().min(0).max(100).nullable(),
})

/** A refund of the payment under another key: that of a charge or of a voucher. */
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

/** The outcome of a refund. An accepted one is `processing` until it completes or fails. */
export const refundResponse = z.object({
  key: z.string(),
  status: z.enum(['processing', 'completed', 'failed']),
  reference: z.string().min(1).max(100),
  /** One of `refundFailures` if it failed. */
  failure_code: z.string().max(64).nullable(),
})

/** A voucher to issue, with its due date. `concept` is printed on it. */
export const voucherBody = z.strictObject({
  amount_cents: amountCents,
  currency: currencyCode,
  due_at: isoTime,
  concept: z.string().min(1).max(120).optional(),
})

/** An issued voucher. */
export const issuedVoucher = z.object({
  key: z.string(),
  status: z.enum(['pending', 'paid', 'expired', 'withdrawn']),
  /** What the payer says at the counter; also the acquirer's reference of the voucher. */
  reference: z.string().min(1).max(64),
  /** The content of the Code 128 barcode. */
  barcode: z.string().min(1).max(64),
  amount_cents: amountCents,
  currency: currencyCode,
  due_at: isoTime,
  paid_at: isoTime.nullable(),
})

/** The outcome of issuing a voucher. */
export const voucherResponse = z.discriminatedUnion('status', [
  issuedVoucher,
  z.object({ key: z.string(), status: z.enum(['processing', 'failed']) }),
])

/** The acquirer does not know the key. The status is 200, because a proxy could answer 404. */
export const notFoundResponse = z.object({ key: z.string(), status: z.literal('not_found') })

/** Nothing happened under the key, and nothing ever will. */
export const reversedResponse = z.object({ key: z.string(), status: z.literal('reversed') })

export type EncryptionKey = z.output<typeof encryptionKey>
export type CardToken = z.output<typeof cardToken>
export type ChargeBody = z.output<typeof chargeBody>
export type ChargeResponse = z.output<typeof chargeResponse>
export type RefundBody = z.output<typeof refundBody>
export type RefundResponse = z.output<typeof refundResponse>
export type VoucherBody = z.output<typeof voucherBody>
export type IssuedVoucher = z.output<typeof issuedVoucher>
export type VoucherResponse = z.output<typeof voucherResponse>
export type NotFoundResponse = z.output<typeof notFoundResponse>
export type ReversedResponse = z.output<typeof reversedResponse>
