import type { z } from 'zod'
import {
  type ChargeOutcome,
  type RefundOutcome,
  refundFailures,
  type Voucher,
  type VoucherOutcome,
} from './acquirer-outcomes.ts'
import {
  type ChargeResponse,
  chargeResponse,
  type IssuedVoucher,
  type RefundResponse,
  refundResponse,
  type VoucherResponse,
  voucherResponse,
} from './acquirer-wire.ts'
import { declineReasonOf } from './response-codes.ts'

/** A kind of object that the acquirer creates under an idempotency key. */
export interface KeyedResource<Response extends { key: string }, Outcome extends { status: string }> {
  /** The segment of its paths. */
  path: 'charges' | 'refunds' | 'vouchers'
  /** The last segment of the path that ends a key. */
  endedBy: 'reverse' | 'withdraw'
  response: z.ZodType<Response>
  /** Translates the acquirer's response into an outcome of the port. */
  outcomeOf: (response: Response) => Outcome
  /** The outcome is not known yet. */
  unknown: Outcome
  /** The acquirer did not take the request and never will. */
  notTaken: Outcome
}

export const chargeResource: KeyedResource<ChargeResponse, ChargeOutcome> = {
  path: 'charges',
  endedBy: 'reverse',
  response: chargeResponse,
  outcomeOf: chargeOutcome,
  unknown: { status: 'processing', acquirer_reference: null },
  notTaken: { status: 'failed', acquirer_reference: null },
}

export const refundResource: KeyedResource<RefundResponse, RefundOutcome> = {
  path: 'refunds',
  endedBy: 'reverse',
  response: refundResponse,
  outcomeOf: refundOutcome,
  unknown: { status: 'processing', acquirer_reference: null },
  notTaken: { status: 'failed', acquirer_reference: null },
}

export const voucherResource: KeyedResource<VoucherResponse, VoucherOutcome> = {
  path: 'vouchers',
  endedBy: 'withdraw',
  response: voucherResponse,
  outcomeOf: response => ('reference' in response ? voucherOf(response) : { status: response.status }),
  unknown: { status: 'processing' },
  notTaken: { status: 'failed' },
}

/** Translates a charge. A decline for a technical reason counts as a failure. */
export function chargeOutcome({ status, reference, response_code, risk_score }: ChargeResponse): ChargeOutcome {
  const shared = { acquirer_reference: reference, risk_score }
  if (status !== 'declined') return { ...shared, status, decline_reason: null }
  const reason = declineReasonOf(response_code)
  if (reason === 'technical') return { ...shared, status: 'failed', decline_reason: null }
  return { ...shared, status, decline_reason: reason }
}

/** Translates a refund. An unknown failure code is a technical failure, which has no reason. */
export function refundOutcome({ status, reference, failure_code }: RefundResponse): RefundOutcome {
  const known = refundFailures.find(failure => failure === failure_code) ?? null
  return { status, acquirer_reference: reference, failure_reason: status === 'failed' ? known : null }
}

/** Translates a voucher: everything but its key, which the caller chose. */
export function voucherOf({ key: _key, ...voucher }: IssuedVoucher): Voucher {
  return voucher
}
