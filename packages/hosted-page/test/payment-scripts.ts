import type { HostedPayable } from '@cobro/contracts'
import { sampleVoucher } from './payables.ts'

/** The service's handling of a payment: changes the payable, and never answers without a status. */
export interface PaymentScript {
  readonly change?: Partial<HostedPayable>
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export const approved: PaymentScript = {
  change: { status: 'completed', transaction_status: 'Approved' },
  status: 200,
  body: { status: 'approved' },
}

export const declined = (reason: string, attempts_left: number): PaymentScript => ({
  change: { transaction_status: 'Declined', attempts_left },
  status: 402,
  body: { error: reason, declined: true },
})

export const failed: PaymentScript = {
  change: { transaction_status: 'Failed' },
  status: 502,
  body: { error: 'processing_error' },
}

export const pending: PaymentScript = { change: { in_progress: true }, status: 202, body: { status: 'pending' } }

export const voucherIssued: PaymentScript = {
  change: { voucher: sampleVoucher, had_voucher: true, expires_at: Date.parse(sampleVoucher.due_at) },
  status: 202,
  body: { status: 'pending', voucher: sampleVoucher },
}

export const refused = (status: number, error: string, headers: Record<string, string> = {}): PaymentScript => ({
  status,
  body: { error },
  headers,
})

/** The payment is in progress and its answer is lost. */
export const neverAnswered: PaymentScript = { change: { in_progress: true } }
