import { z } from 'zod'
import { declineReasons } from '../errors.ts'
import { id } from '../ids.ts'
import { dataOf, listOf, listQuery } from '../lists.ts'
import { metadata } from '../metadata.ts'
import { amountCents, currencyCode, sumCents } from '../money.ts'
import { operation } from '../operation.ts'
import { isoTime } from '../times.ts'
import { paymentMethods } from './checkout-sessions.ts'

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

export const transaction = z.object({
  id: id('txn'),
  type: z.literal('payment'),
  correlation_id: id('corr'),
  payment_intent_id: z.string().nullable(),
  order_id: z.string().nullable(),
  payment_link_id: z.string().nullable(),
  reference: z.string().nullable(),
  payer_email: z.string().nullable(),
  merchant_id: id('mrc'),
  rail: z.enum(rails),
  payment_method: z.enum(paymentMethods),
  status: z.enum(transactionStatuses),
  amount_cents: amountCents,
  currency: currencyCode,
  fee_cents: sumCents,
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  customer_ref: z.string().nullable(),
  decline_reason: z.enum([...declineReasons, 'processing_error']).nullable(),
  risk_score: z.number().nullable(),
  terminal_id: z.string().nullable(),
  created_at: isoTime,
  updated_at: isoTime,
  captured_at: isoTime.nullable(),
  metadata: metadata.nullable(),
  refund_status: z.enum(refundStatuses).nullable(),
  refund_id: z.string().nullable(),
  refund_requested_at: isoTime.nullable(),
  refunded_at: isoTime.nullable(),
})

export const transactionFilters = {
  id: id('txn'),
  status: z.enum(transactionStatuses),
  rail: z.enum(rails),
  payment_method: z.enum(paymentMethods),
  currency: currencyCode,
  correlation_id: id('corr'),
  order_id: z.string().max(100),
  reference: z.string().max(64),
  payer_email: z.string().max(254),
}

const base = { service: 'transactions', tenant: true } as const

export const transactionOperations = {
  list: operation({
    ...base,
    id: 'listTransactions',
    summary: 'Lists transactions',
    method: 'GET',
    path: '/api/transactions',
    query: listQuery({
      order: ['created_at', 'updated_at', 'captured_at', 'status', 'amount_cents', 'reference'],
      filters: transactionFilters,
      search: true,
    }),
    response: listOf(transaction),
  }),
  read: operation({
    ...base,
    id: 'getTransaction',
    summary: 'Reads a transaction',
    method: 'GET',
    path: '/api/transactions/:id',
    params: z.object({ id: id('txn') }),
    response: dataOf(transaction),
  }),
}
