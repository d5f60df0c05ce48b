import { amountCents, currencyCode, isoTime } from '@cobro/contracts'
import { z } from 'zod'
import { chargeResponse, issuedVoucher, refundResponse } from './acquirer-wire.ts'

/** The header that contains a notification's signature. */
export const signatureHeader = 'acquirer-signature'

const signingKey = { kid: z.string().min(1), use: z.literal('sig').optional(), x: z.string() }

/** A public JWK that verifies notifications. The key, not the signature, sets the algorithm. */
export const notificationKey = z.discriminatedUnion('alg', [
  z.object({ alg: z.literal('EdDSA'), kty: z.literal('OKP'), crv: z.literal('Ed25519'), ...signingKey }),
  z.object({ alg: z.literal('ES256'), kty: z.literal('EC'), crv: z.literal('P-256'), ...signingKey, y: z.string() }),
])

export const disputeOutcomes = ['won', 'lost'] as const
export type DisputeOutcome = (typeof disputeOutcomes)[number]

/** A payment that its cardholder disputes, in any state. */
const disputeState = z.object({
  /** The acquirer's reference of the dispute. */
  reference: z.string().min(1).max(100),
  status: z.enum(['open', ...disputeOutcomes]),
  charge_key: z.string(),
  amount_cents: amountCents,
  currency: currencyCode,
  reason: z.string().max(100),
  /** The card network's code for the reason. */
  network_reason_code: z.string().max(32).nullable(),
  /** The deadline for submitting evidence. */
  due_by: isoTime.nullable(),
  opened_at: isoTime,
  resolved_at: isoTime.nullable(),
})

/** Every type of notification and its `data`: the complete new state. */
export const notificationData = {
  'charge.settled': chargeResponse.extend({ status: z.enum(['approved', 'declined', 'failed']) }),
  'refund.completed': refundResponse.extend({ status: z.literal('completed') }),
  'refund.failed': refundResponse.extend({ status: z.literal('failed') }),
  'dispute.opened': disputeState.extend({ status: z.literal('open') }),
  'dispute.won': disputeState.extend({ status: z.literal('won') }),
  'dispute.lost': disputeState.extend({ status: z.literal('lost') }),
  'voucher.paid': issuedVoucher.extend({ status: z.literal('paid') }),
  'voucher.expired': issuedVoucher.extend({ status: z.literal('expired') }),
} as const

/** The envelope of every notification. Unknown types may arrive at any time. */
const notificationEnvelope = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(100),
  created_at: isoTime,
  data: z.unknown().optional(),
})

type KnownNotification = {
  [T in NotificationType]: { id: string; type: T; created_at: Date; data: z.output<(typeof notificationData)[T]> }
}[NotificationType]

export type NotificationKey = z.output<typeof notificationKey>
export type NotificationType = keyof typeof notificationData
export type DisputeState = z.output<typeof disputeState>
/** A notification of a known type with its parsed data, or of an unknown type without data. */
export type WireNotification =
  | KnownNotification
  | { id: string; type: 'unknown'; created_at: Date; data: { type: string } }

/** Parses a notification. Returns undefined if it is none or its data does not fit its type. */
export function parseNotification(body: unknown): WireNotification | undefined {
  const { data: envelope } = notificationEnvelope.safeParse(body)
  if (!envelope) return undefined
  const { id, type, created_at } = envelope
  if (!Object.hasOwn(notificationData, type)) return { id, type: 'unknown', created_at, data: { type } }
  const known = type as NotificationType
  const { data } = (notificationData[known] as z.ZodType).safeParse(envelope.data)
  return data === undefined ? undefined : ({ id, type: known, created_at, data } as KnownNotification)
}
