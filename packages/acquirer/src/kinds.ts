import {
  type Outcome,
  type RefundFailure,
  type RefundOutcome,
  refundFailures,
  type Voucher,
  type VoucherOutcome,
} from './acquirer.ts'
import {
  type ChargeAnswer,
  chargeAnswer,
  type IssuedVoucher,
  type RefundAnswer,
  refundAnswer,
  type VoucherAnswer,
  voucherAnswer,
} from './acquirer-wire.ts'
import type { Kind } from './keyed-calls.ts'
import { refusalOf } from './response-codes.ts'

export const charges: Kind<ChargeAnswer, Outcome> = {
  path: 'charges',
  endedBy: 'reverse',
  answer: chargeAnswer,
  outcomeOf: chargeOutcome,
  unknown: { status: 'processing', acquirer_reference: null },
  notTaken: { status: 'failed', acquirer_reference: null },
}

export const refunds: Kind<RefundAnswer, RefundOutcome> = {
  path: 'refunds',
  endedBy: 'reverse',
  answer: refundAnswer,
  outcomeOf: refundOutcome,
  unknown: { status: 'processing', acquirer_reference: null },
  notTaken: { status: 'failed', acquirer_reference: null },
}

export const vouchers: Kind<VoucherAnswer, VoucherOutcome> = {
  path: 'vouchers',
  endedBy: 'withdraw',
  answer: voucherAnswer,
  outcomeOf: voucherOutcome,
  unknown: { status: 'processing' },
  notTaken: { status: 'failed' },
}

/** A refusal for a technical reason is no decline. */
export function chargeOutcome({ status, reference, response_code, risk_score }: ChargeAnswer): Outcome {
  const told = { acquirer_reference: reference, risk_score }
  if (status !== 'declined') return { ...told, status, decline_reason: null }
  const reason = refusalOf(response_code)
  if (reason === 'technical') return { ...told, status: 'failed', decline_reason: null }
  return { ...told, status, decline_reason: reason }
}

/** A code that says nothing to us, or a technical fault, is no reason of the refund's own. */
export function refundOutcome({ status, reference, failure_code }: RefundAnswer): RefundOutcome {
  const known = refundFailures.includes(failure_code as RefundFailure) ? (failure_code as RefundFailure) : null
  return { status, acquirer_reference: reference, failure_reason: status === 'failed' ? known : null }
}

/** A voucher in our words leaves out the key, which is the asker's own. */
export function issuedOutcome({ key: _key, ...voucher }: IssuedVoucher): Voucher {
  return voucher
}

function voucherOutcome(answer: VoucherAnswer): VoucherOutcome {
  return 'reference' in answer ? issuedOutcome(answer) : { status: answer.status }
}
