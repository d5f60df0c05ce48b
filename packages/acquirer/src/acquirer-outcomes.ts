import type { DeclineReason } from '@cobro/contracts'
import type { ChargeResponse, IssuedVoucher, RefundResponse } from './acquirer-wire.ts'

/**
 * The outcome of a charge. `processing` means that the outcome is not known yet, to us or to the acquirer: ask again later.
 * `failed` means that no money moved and none will move under this key.
 */
export interface ChargeOutcome {
  status: ChargeResponse['status']
  /** The acquirer's reference of the charge; null if it never returned one. */
  acquirer_reference: string | null
  decline_reason?: DeclineReason | null
  /** 0 (harmless) to 100 (fraud), if the acquirer scores charges. */
  risk_score?: number | null
}

/** Why a refund failed. `unsupported`: the acquirer can never refund this payment, so an operator has to transfer the money. */
export const refundFailures = ['refused', 'not_refundable', 'already_refunded', 'unsupported'] as const

export type RefundFailure = (typeof refundFailures)[number]

/**
 * The outcome of a refund. `processing` means that the acquirer accepted it and has not confirmed it, or that the outcome is
 * not known: a notification or another query ends either. `failed` means that no money went back and none will under this key.
 */
export interface RefundOutcome {
  status: RefundResponse['status']
  /** The acquirer's reference of the refund; null if it never returned one, and then it may not have accepted the refund. */
  acquirer_reference: string | null
  /** Null if the refund failed for a technical reason: a retry under another key may work. */
  failure_reason?: RefundFailure | null
}

/** A voucher. `paid` may follow `expired` and `withdrawn`, because stores may report cash payments late. */
export type Voucher = Omit<IssuedVoucher, 'key'>

/** The outcome of issuing a voucher. `processing`: not known yet. `failed`: no voucher exists and none will under this key. */
export type VoucherOutcome = Voucher | { status: 'processing' | 'failed' }

/** The acquirer does not know the key. The request may still be on its way; only a reversal rules that out. */
export interface KeyNotFound {
  status: 'not_found'
}

/** Nothing happened under the key, and the acquirer will reject every later request with it. */
export interface KeyReversed {
  status: 'reversed'
}
