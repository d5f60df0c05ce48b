import type { DeclineReason } from '@cobro/contracts'
import type { ChargeResponse, IssuedVoucher, RefundResponse } from './acquirer-wire.ts'

/**
 * The outcome of a charge. `processing`: not yet known to us or to the acquirer; ask again later.
 * `failed`: no money moved and none will move under this key.
 */
export interface ChargeOutcome {
  status: ChargeResponse['status']
  /** The acquirer's reference of the charge; null if it never returned one. */
  acquirer_reference: string | null
  decline_reason?: DeclineReason | null
  /** 0 (harmless) to 100 (fraud), if the acquirer scores charges. */
  risk_score?: number | null
}

/** Why a refund failed. `unsupported`: it is never possible, so an operator transfers the money. */
export const refundFailures = ['refused', 'not_refundable', 'already_refunded', 'unsupported'] as const

export type RefundFailure = (typeof refundFailures)[number]

/**
 * The outcome of a refund. `failed`: no money went back; rarely, it is reported as `completed` later.
 * `processing`: accepted and not confirmed, or unknown; a notification or another query resolves either.
 */
export interface RefundOutcome {
  status: RefundResponse['status']
  /** The acquirer's reference; null if it never returned one, so may not have the refund. */
  acquirer_reference: string | null
  /** Null if the refund failed for a technical reason: a retry under another key may work. */
  failure_reason?: RefundFailure | null
}

/** A voucher. `paid` may follow `expired` and `withdrawn`: stores may report cash payments late. */
export type Voucher = Omit<IssuedVoucher, 'key'>

/** What came of issuing a voucher. `processing`: not known. `failed`: none exists or ever will. */
export type VoucherOutcome = Voucher | { status: 'processing' | 'failed' }

/** An unknown key. The request may still be on its way; only a reversal rules that out. */
export interface KeyNotFound {
  status: 'not_found'
}

/** Nothing happened under the key, and the acquirer will reject every later request with it. */
export interface KeyReversed {
  status: 'reversed'
}
