import { z } from 'zod'
import type { ExportedLines } from '../declarations/operation.ts'
import { named, oneOrMore } from '../fields/pagination.ts'
import { timeZone } from '../fields/time-zones.ts'

/** The most transactions that one export has. */
export const maxExportedTransactions = 1_000_000

/** The columns of an export as CSV. Amounts are decimals of the currency in its own column. */
export const transactionColumns = [
  'id',
  'created_at',
  'captured_at',
  'status',
  'amount',
  'fee',
  'currency',
  'payment_method',
  'card_brand',
  'card_last4',
  'decline_reason',
  'order_id',
  'reference',
  'payer_email',
  'refund_status',
  'refunded_at',
  'merchant_id',
  'rail',
  'customer_ref',
  'payment_link_id',
  'payment_intent_id',
  'correlation_id',
  'terminal_id',
  'risk_score',
  'refund_id',
  'refund_requested_at',
  'updated_at',
  'metadata',
] as const

export type TransactionColumn = (typeof transactionColumns)[number]

/** The columns if a call names none: up to the merchant's id. */
const usualColumns = transactionColumns.slice(0, transactionColumns.indexOf('merchant_id') + 1)

const column = named(
  'TransactionColumn',
  z
    .enum(transactionColumns, { error: `expected columns among ${transactionColumns.join(', ')}` })
    .describe('A column of an export as CSV.'),
)

/** The parameters of an export of transactions besides the filters. */
export const transactionExportParameters = {
  format: z
    .enum(['csv', 'ndjson'], { error: 'expected csv or ndjson' })
    .default('csv')
    .describe('The format of the lines.'),
  tz: timeZone.optional().describe('The time zone of the times in CSV, by default UTC. Days of filters stay in UTC.'),
  columns: oneOrMore(column)
    .transform((names): TransactionColumn[] => [names].flat() as TransactionColumn[])
    .refine(names => new Set(names).size === names.length, { error: 'expected each column once' })
    .optional()
    .describe(`The columns of CSV, in their order, separated by commas. By default ${usualColumns.join(', ')}.`),
}

type Given = z.output<z.ZodObject<typeof transactionExportParameters>>

/** How exported transactions are written. */
export type TransactionFormat =
  | { format: 'ndjson' }
  | { format: 'csv'; tz: string; columns: readonly TransactionColumn[] }

/** Returns how to write an export, with the defaults. */
export function transactionFormatOf({ format, tz = 'UTC', columns = usualColumns }: Given): TransactionFormat {
  return format === 'csv' ? { format, tz, columns } : { format }
}

/** Rejects parameters of CSV for NDJSON, whose lines are those of the list. */
export function rejectOfCsv({ format, ...ofCsv }: Given, context: z.core.$RefinementCtx): void {
  if (format === 'csv') return
  for (const name of ['tz', 'columns'] as const)
    if (ofCsv[name] !== undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'cannot be combined with format=ndjson' })
}

/** What the lines of an export contain. */
export const exportedTransactions: ExportedLines = {
  ndjson: {
    description: 'A line for each transaction, as in the list.',
    example: '{"id":"txn_…","status":"approved","amount_cents":25000}\n',
  },
  csv: {
    description:
      'RFC 4180, with the names of the columns in the first line. Cells that are formulas begin with an apostrophe.',
    example: 'id,created_at,amount,currency\r\ntxn_…,2026-11-21T12:04:05.123-06:00,250.00,MXN\r\n',
  },
  isCounted: true,
}
