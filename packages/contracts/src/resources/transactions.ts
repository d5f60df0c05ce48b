import { z } from 'zod'
import { declineReasons } from '../decline-reasons.ts'
import { id } from '../ids.ts'
import { metadata } from '../metadata.ts'
import { amountCents, currencyCode, defaultCurrency, sumCents } from '../money.ts'
import { operation } from '../operation.ts'
import { dataOf, deletedAnswer, listOf } from '../pagination.ts'
import { isoTime } from '../times.ts'
import { paymentMethods } from './checkout-sessions.ts'
import { transactionQuery } from './transaction-query.ts'

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

export type Transaction = z.output<typeof transaction>

/** Which fee rule was applied to a payment, and what it came to. */
const feeParts = z.object({
  rule_id: id('fee'),
  percent_bps: z.int(),
  fixed_cents: sumCents,
  min_fee_cents: sumCents.nullable(),
  max_fee_cents: sumCents.nullable(),
  tax_bps: z.int(),
  fee_cents: sumCents,
  tax_cents: sumCents,
})
export type FeeParts = z.output<typeof feeParts>

/** One transaction by itself. How its fee came about is shown to operators alone. */
const readTransaction = transaction.extend({ fee_parts: feeParts.nullable().optional() })

export const transactionFilters = {
  id: id('txn'),
  status: z.enum(transactionStatuses),
  rail: z.enum(rails),
  payment_method: z.enum(paymentMethods),
  refund_status: z.enum(refundStatuses),
  currency: currencyCode,
  correlation_id: id('corr'),
  order_id: z.string().max(100),
  reference: z.string().max(64),
  payer_email: z.string().max(254),
}

const editable = {
  reference: z.string().min(1).max(64).nullable(),
  order_id: z.string().min(1).max(100).nullable(),
  payer_email: z.email({ error: 'expected an e-mail address' }).max(254).nullable(),
  customer_ref: z.string().min(1).max(100).nullable(),
  metadata: metadata.nullable(),
}

/** A payment that was taken elsewhere and is entered by hand. */
const manual = z
  .strictObject({
    ...z.object(editable).partial().shape,
    rail: z.enum(rails),
    payment_method: z.enum(paymentMethods),
    amount_cents: amountCents,
    currency: currencyCode.default(defaultCurrency),
    status: z.enum(['pending', 'approved']).default('approved'),
    terminal_id: id('trm').nullable().optional(),
    card: z
      .strictObject({
        brand: z.string().regex(/^[a-z_]{2,32}$/, { error: 'expected a brand such as visa' }),
        last4: z.string().regex(/^\d{4}$/, { error: 'expected the last four digits' }),
      })
      .nullable()
      .optional(),
    captured_at: isoTime
      .refine(date => date.getUTCFullYear() >= 2000, { error: 'expected a time from the year 2000 on' })
      .optional(),
  })
  .superRefine(({ rail, terminal_id, status, captured_at }, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (rail === 'inperson_cp' && !terminal_id) fault('terminal_id', 'required where the rail is inperson_cp')
    if (captured_at && status !== 'approved') fault('captured_at', 'expected for an approved transaction alone')
  })

/** What may be edited afterwards, and, of a pending one that was entered by hand, how it ended. */
const change = z
  .strictObject(
    { ...editable, status: z.enum(['approved', 'cancelled'], { error: 'expected approved or cancelled' }) },
    {
      error: issue => (issue.code === 'unrecognized_keys' ? whyNotEditable(issue.keys) : undefined),
    },
  )
  .partial()

function whyNotEditable(keys: string[]): string | undefined {
  const known = keys.filter(key => Object.hasOwn(transaction.shape, key))
  if (known.length === 0) return undefined
  return known.length === keys.length ? 'cannot be edited' : 'unknown, or cannot be edited'
}

const base = { service: 'transactions', tenant: true } as const
const one = { ...base, path: '/api/transactions/:id', params: z.object({ id: id('txn') }) } as const

export const transactionOperations = {
  list: operation({
    ...base,
    id: 'listTransactions',
    summary: 'Lists transactions',
    method: 'GET',
    path: '/api/transactions',
    query: transactionQuery({
      order: ['created_at', 'updated_at', 'captured_at', 'status', 'amount_cents', 'reference'],
      filters: transactionFilters,
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
    response: dataOf(readTransaction),
  }),
  create: operation({
    ...base,
    id: 'createTransaction',
    summary: 'Enters a payment by hand that was taken elsewhere',
    method: 'POST',
    path: '/api/transactions',
    body: manual,
    status: 201,
    response: dataOf(transaction),
  }),
  update: operation({
    ...one,
    id: 'updateTransaction',
    summary: 'Edits a transaction; an absent field keeps its value, null clears it',
    method: 'PUT',
    body: change,
    response: dataOf(transaction),
  }),
  delete: operation({
    ...one,
    id: 'deleteTransaction',
    summary: 'Deletes a transaction that was entered by hand',
    method: 'DELETE',
    response: deletedAnswer,
  }),
  refund: operation({
    ...one,
    path: '/api/transactions/:id/refund',
    id: 'refundTransaction',
    summary: 'Gives an approved card payment back in full; the acquirer confirms it later',
    method: 'POST',
    body: z.strictObject({}).optional(),
    status: 202,
    response: dataOf(transaction),
  }),
}
