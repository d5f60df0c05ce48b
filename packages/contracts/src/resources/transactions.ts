import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { metadata } from '../fields/metadata.ts'
import { amountCents, currencyCode, defaultCurrency, sumCents } from '../fields/money.ts'
import { dataOf, deletedResponse, listOf, named } from '../fields/pagination.ts'
import { isoTime, maybeIsoTime, timestamps } from '../fields/times.ts'
import { paymentMethod } from './checkout-sessions.ts'
import { emptyBody } from './empty-body.ts'
import { feeParts } from './fee-parts.ts'
import { exportedTransactions, rejectOfCsv, transactionExportParameters } from './transaction-export.ts'
import { transactionExportQuery, transactionQuery } from './transaction-query.ts'
import { failureReason, rail, refundStatus, transactionStatus } from './transaction-statuses.ts'

const tag: Tag = { name: 'Transactions', description: 'Payments and their states.' }

const texts = {
  status: 'The state of the payment.',
  refund_status: 'The state of its refund; `null` for none.',
  card: 'The card; `null` for cash.',
  metadata: "The merchant's own data; `null` for none.",
}
const orderId = { description: "The merchant's own id of the order.", examples: ['order-1042'] }
const referenceText = { description: "The merchant's reference (folio).", examples: ['A-1042'] }
const emailText = { description: "The payer's e-mail address.", examples: ['ana@example.com'] }
const customerRef = { description: "The merchant's own id of the customer.", examples: ['C-1042'] }
const terminalText = { description: 'The terminal that took it.' }
const brandText = { description: 'The brand.', examples: ['visa'] }
const last4Text = { description: 'The last four digits.', examples: ['4242'] }
const cardBrand = z.string().regex(/^[a-z_]{2,32}$/, { error: 'expected a brand such as visa' })
const cardLast4 = z.string().regex(/^\d{4}$/, { error: 'expected the last four digits' })

export const transaction = named(
  'Transaction',
  z
    .object({
      id: id('txn'),
      type: z.literal('payment').describe('Always `payment`.'),
      correlation_id: id('corr'),
      payment_intent_id: storedId<'pi'>().nullable().meta({
        description: 'What all attempts to pay the same session or link have in common.',
      }),
      order_id: z.string().nullable().meta(orderId),
      payment_link_id: storedId<'pl'>().nullable().meta({ description: 'The payment link that it pays.' }),
      reference: z.string().nullable().meta(referenceText),
      payer_email: z.string().nullable().meta(emailText),
      merchant_id: id('mrc'),
      rail,
      payment_method: paymentMethod,
      status: transactionStatus,
      amount_cents: amountCents,
      currency: currencyCode,
      fee_cents: sumCents.describe('The fee with its tax.'),
      card: named(
        'Card',
        z
          .object({ brand: z.string().meta(brandText), last4: z.string().meta(last4Text) })
          .describe('What is kept of a card.'),
      )
        .nullable()
        .describe(texts.card),
      customer_ref: z.string().nullable().meta(customerRef),
      decline_reason: failureReason
        .nullable()
        .describe('Why it was declined, or `processing_error` where it failed; `null` otherwise.'),
      risk_score: z
        .number()
        .nullable()
        .meta({ description: "The acquirer's risk score; `null` if there is none.", examples: [12] }),
      terminal_id: storedId<'trm'>().nullable().meta(terminalText),
      ...timestamps,
      captured_at: maybeIsoTime.describe('When the funds were captured; `null` until then.'),
      metadata: metadata.nullable().describe(texts.metadata),
      refund_status: refundStatus.nullable().describe(texts.refund_status),
      refund_id: storedId<'rfd'>().nullable().meta({ description: 'The refund; `null` for none.' }),
      refund_requested_at: maybeIsoTime.describe('When its refund was requested; `null` for never.'),
      refunded_at: maybeIsoTime.describe('When its refund was confirmed; `null` until then.'),
      manual_refund: z
        .boolean()
        .describe('Whether its refund is processing and a person has to transfer it: the acquirer cannot.'),
    })
    .describe('A payment.'),
)

export type Transaction = z.output<typeof transaction>

/** One transaction by itself. Only operators see how its fee was computed. */
const readTransaction = named(
  'TransactionDetails',
  transaction
    .extend({
      fee_parts: feeParts
        .nullable()
        .optional()
        .describe('How the fee was computed at the capture, even if it was returned. Only operators see it.'),
    })
    .describe('A payment, with the parts of its fee.'),
)

export const transactionFilters = {
  id: id('txn'),
  status: transactionStatus,
  rail,
  payment_method: paymentMethod,
  refund_status: refundStatus,
  currency: currencyCode,
  correlation_id: id('corr'),
  order_id: z.string().max(100).meta(orderId),
  reference: z.string().max(64).meta(referenceText),
  payer_email: z.string().max(254).meta(emailText),
  card_brand: cardBrand.meta({ ...brandText, description: 'The brand of the card.' }),
  card_last4: cardLast4.meta({ ...last4Text, description: 'The last four digits of the card.' }),
  decline_reason: failureReason,
}

const editable = {
  reference: z.string().min(1).max(64).nullable().meta(referenceText),
  order_id: z.string().min(1).max(100).nullable().meta(orderId),
  payer_email: z.email({ error: 'expected an e-mail address' }).max(254).nullable().meta(emailText),
  customer_ref: z.string().min(1).max(100).nullable().meta(customerRef),
  metadata: metadata.nullable().describe(texts.metadata),
}

/** A payment that was taken elsewhere and is entered manually. */
const createTransaction = named(
  'CreateTransaction',
  z
    .strictObject({
      ...z.object(editable).partial().shape,
      rail,
      payment_method: paymentMethod,
      amount_cents: amountCents,
      currency: currencyCode.default(defaultCurrency),
      status: z.enum(['pending', 'approved']).default('approved').describe(texts.status),
      terminal_id: id('trm').nullable().optional().meta(terminalText),
      card: named(
        'CardInput',
        z
          .strictObject({
            brand: cardBrand.meta(brandText),
            last4: cardLast4.meta(last4Text),
          })
          .describe('What is kept of a card.'),
      )
        .nullable()
        .optional()
        .describe(texts.card),
      captured_at: isoTime
        .refine(date => date.getUTCFullYear() >= 2000, { error: 'expected a time from the year 2000 on' })
        .optional()
        .describe('When the funds were captured. Only for an approved transaction.'),
    })
    .superRefine(({ rail, terminal_id, status, captured_at }, context) => {
      const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
      if (rail === 'inperson_cp' && !terminal_id) reject('terminal_id', 'required where the rail is inperson_cp')
      if (captured_at && status !== 'approved') reject('captured_at', 'expected for an approved transaction alone')
    })
    .meta({
      description: 'A payment that was taken elsewhere.',
      examples: [
        {
          rail: 'online_cnp',
          payment_method: 'card',
          amount_cents: 25_000,
          reference: 'A-1042',
          card: { brand: 'visa', last4: '4242' },
          captured_at: '2026-11-21T18:04:05.123Z',
        },
      ],
    }),
)

/** The fields editable later, and the outcome of a manually entered pending transaction. */
const updateTransaction = named(
  'UpdateTransaction',
  z
    .strictObject(
      {
        ...editable,
        status: z
          .enum(['approved', 'cancelled'], { error: 'expected approved or cancelled' })
          .describe('How a pending transaction that was entered manually ended. Only for operators.'),
      },
      {
        error: issue => (issue.code === 'unrecognized_keys' ? whyNotEditable(issue.keys) : undefined),
      },
    )
    .partial(),
)

function whyNotEditable(keys: string[]): string | undefined {
  const known = keys.filter(key => Object.hasOwn(transaction.shape, key))
  if (known.length === 0) return undefined
  return known.length === keys.length ? 'cannot be edited' : 'unknown, or cannot be edited'
}

const base = {
  service: 'transactions',
  tenant: true,
  tag,
  audit: 'payment',
  area: 'money',
  callers: callerSets.merchants,
  scopeGroup: 'transactions',
  path: '/api/transactions',
} as const
const one = { ...base, path: '/api/transactions/:id', params: z.object({ id: id('txn') }), target: 'id' } as const

export const transactionOperations = {
  list: operation({
    ...base,
    id: 'listTransactions',
    summary: 'List transactions',
    description:
      'Returns transactions, by default the newest first. Besides the parameters below, `metadata.<path>=<value>` finds those with that field in their metadata.',
    method: 'GET',
    query: transactionQuery({
      order: ['created_at', 'updated_at', 'captured_at', 'status', 'amount_cents', 'reference'],
      filters: transactionFilters,
    }),
    response: listOf(transaction),
  }),
  export: operation({
    ...base,
    path: '/api/transactions/export',
    id: 'exportTransactions',
    summary: 'Export transactions',
    description:
      'Streams all transactions that match the filters of the list, the newest first, as CSV or NDJSON. `X-Total-Count` is their number as the export begins; more than 1,000,000 are a 400. A response that is cut off is not complete: request it again. By `disputed_at` or `refund_requested_at`, a transaction whose time moves forward meanwhile may be missing: there are then fewer than `X-Total-Count`. The keys of a merchant, and each user, may have two exports at once; another one is a 429, as it is while too many run of all callers.',
    method: 'GET',
    query: transactionExportQuery(transactionExportParameters, { filters: transactionFilters }).superRefine(
      rejectOfCsv,
    ),
    response: 'export',
    lines: exportedTransactions,
  }),
  read: operation({
    ...one,
    id: 'getTransaction',
    summary: 'Get a transaction',
    description: 'Returns one transaction.',
    method: 'GET',
    response: dataOf(readTransaction),
  }),
  create: operation({
    ...base,
    id: 'createTransaction',
    summary: 'Enter a transaction manually',
    description: 'Records a payment that was taken elsewhere. Nothing is charged.',
    callers: callerSets.operators,
    method: 'POST',
    body: createTransaction,
    status: 201,
    approval: 'above_limit',
    emits: ['payment.approved', 'payment.pending', 'approval.requested'],
    response: dataOf(transaction),
  }),
  update: operation({
    ...one,
    id: 'updateTransaction',
    summary: 'Update a transaction',
    description:
      'Changes the fields that are sent. An absent field keeps its value, `null` clears it. Operators may also say how a pending transaction that was entered manually ended.',
    method: 'PUT',
    body: updateTransaction,
    approval: 'above_limit',
    emits: ['transaction.updated', 'payment.approved', 'payment.cancelled', 'approval.requested'],
    response: dataOf(transaction),
  }),
  delete: operation({
    ...one,
    id: 'deleteTransaction',
    summary: 'Delete a transaction',
    description:
      'Deletes a transaction that was entered manually and reverses its ledger entries. One with a refund, a dispute or a settlement is a conflict.',
    callers: callerSets.operators,
    method: 'DELETE',
    approval: 'above_limit',
    emits: ['transaction.deleted', 'approval.requested'],
    response: deletedResponse,
  }),
  refund: operation({
    ...one,
    path: '/api/transactions/:id/refund',
    area: 'refunds',
    id: 'refundTransaction',
    summary: 'Refund a transaction',
    description:
      'Requests the full refund of an approved card payment. The acquirer confirms or rejects it later: see `refund_status`.',
    method: 'POST',
    body: emptyBody,
    status: 202,
    emits: ['payment.refund_requested', 'payment.refunded', 'payment.refund_failed'],
    response: dataOf(transaction),
  }),
}
