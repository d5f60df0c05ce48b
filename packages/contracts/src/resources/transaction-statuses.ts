import { z } from 'zod'
import { declineReasons } from '../fields/decline-reasons.ts'
import { named } from '../fields/pagination.ts'

export const transactionStatuses = [
  'pending',
  'approved',
  'declined',
  'failed',
  'expired',
  'cancelled',
  'refunded',
  'chargeback',
] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

export const rails = ['online_cnp', 'inperson_cp'] as const
export const refundStatuses = ['processing', 'completed', 'failed'] as const

export const transactionStatus = named(
  'TransactionStatus',
  z.enum(transactionStatuses).describe('The state of a payment.'),
)
export const refundStatus = named('RefundStatus', z.enum(refundStatuses).describe('The state of a refund.'))
export const failureReason = named(
  'FailureReason',
  z.enum([...declineReasons, 'processing_error']).describe('A decline reason, or `processing_error`.'),
)
/** The rail of a payment. */
export const rail = named(
  'Rail',
  z.enum(rails).describe('Online without the card (`online_cnp`), or in person with it (`inperson_cp`).'),
)
