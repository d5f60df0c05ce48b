import { z } from 'zod'
import { id } from '../fields/ids.ts'
import { metadataPath, metadataTerm, metadataText } from '../fields/metadata-terms.ts'
import { maxAmountCents } from '../fields/money.ts'
import { exportQuery, type Filters, type ListQuery, listQuery } from '../fields/pagination.ts'

/** A query of transactions: equality filters, an amount range, a card, and metadata terms, all required. */
export interface TransactionQuery extends ListQuery {
  time: string
  amount_min: number | undefined
  amount_max: number | undefined
  card_last4: string | undefined
  card_brand: string | undefined
  terms: string[]
}

const cents = z
  .string()
  .regex(/^\d{1,11}$/, { error: 'expected an integer in minor units (cents)' })
  .transform(Number)
  .refine(value => value >= 1 && value <= maxAmountCents, { error: `expected 1 to ${maxAmountCents}` })
  .meta({ type: 'integer', format: 'int64', minimum: 1, maximum: maxAmountCents, pattern: undefined })

/** The terms of a JSON object of scalars, key by key, because `z.record` skips `__proto__`. */
const flatObject = z.string().transform((text, context): string[] => {
  const fields = Object.entries(parsedObject(text) ?? { '': null })
  if (fields.every(([path, value]) => metadataPath.safeParse(path).success && isSearchable(value)))
    return fields.map(([path, value]) => metadataTerm(path, String(value)))
  const message = 'expected names joined by dots, at most 5, and scalars of at most 200 characters'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

function isSearchable(value: unknown): boolean {
  return (typeof value !== 'object' || value === null) && metadataText.safeParse(String(value)).success
}

function parsedObject(text: string): object | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const extra = {
  folio: z.string().max(64).describe('The same as `reference`.'),
  amount_cents: cents.describe('The exact amount in minor units (cents).'),
  amount_min: cents.describe('The least amount in minor units (cents).'),
  amount_max: cents.describe('The highest amount in minor units (cents).'),
  terminal_id: id('trm').describe('The terminal that took it.'),
  payment_link_id: id('pl').describe('The payment link that it pays.'),
  metadata: flatObject.describe('A JSON object of metadata fields that all must match.'),
  metadata_key: metadataPath.describe('A path into metadata, such as `order.plan`; together with `metadata_value`.'),
  metadata_value: metadataText.describe('The value at `metadata_key`.'),
}

const times = ['created_at', 'captured_at', 'refund_requested_at', 'refunded_at', 'disputed_at'] as const
const timesText = '`disputed_at` is when the latest dispute of a payment was opened.'

/** Returns the query of transactions, which has any number of `metadata.<path>` parameters. */
export function transactionQuery({ filters, order }: { filters: Filters; order: readonly string[] }) {
  const query = listQuery({ order, filters: { ...filters, ...extra }, search: true, times, timesText })
  return z.preprocess(foldFields, query.superRefine(rejectContradictions).transform(toTransactionQuery))
}

/** Returns the query of an export of transactions: every filter of their list, and parameters of its own. */
export function transactionExportQuery<Own extends z.ZodRawShape>(own: Own, { filters }: { filters: Filters }) {
  const query = exportQuery(own, { filters: { ...filters, ...extra }, search: true, times, timesText })
  return z.preprocess(
    foldFields,
    query.superRefine(rejectContradictions).transform(given => ({ ...given, ...toTransactionQuery(given) })),
  )
}

const prefix = 'metadata.'

/** Folds `metadata.<path>` parameters into `metadata`: no schema can list their open names. */
function foldFields(query: unknown): unknown {
  const entries = Object.entries(query as object)
  const named = entries
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value])
  if (named.length === 0) return query
  const others = Object.fromEntries(entries.filter(([name]) => !name.startsWith(prefix)))
  const known = others.metadata === undefined ? {} : parsedObject(String(others.metadata))
  // If it is not an object, or names a field twice, the schema rejects the empty text.
  if (!known || named.some(([name]) => Object.hasOwn(known, name))) return { ...others, metadata: '' }
  return { ...others, metadata: JSON.stringify(Object.fromEntries([...Object.entries(known), ...named])) }
}

function rejectContradictions({ filters }: ListQuery, context: z.core.$RefinementCtx): void {
  const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
  const has = (name: string) => filters[name] !== undefined
  if (has('amount_cents') && (has('amount_min') || has('amount_max')))
    reject('amount_cents', 'cannot be combined with amount_min or amount_max')
  if (has('folio') && has('reference')) reject('folio', 'cannot be combined with reference')
  if (has('metadata_key') !== has('metadata_value')) reject('metadata_key', 'expected together with metadata_value')
}

function toTransactionQuery({ filters, ...query }: ListQuery): TransactionQuery {
  const { folio, amount_min, amount_max, card_last4, card_brand, ...rest } = filters
  const { metadata = [], metadata_key, metadata_value, ...equal } = rest
  const pair = metadata_key === undefined ? [] : [metadataTerm(String(metadata_key), String(metadata_value))]
  return {
    ...query,
    filters: folio === undefined ? equal : { ...equal, reference: folio },
    time: query.time as string,
    amount_min: amount_min as number | undefined,
    amount_max: amount_max as number | undefined,
    card_last4: card_last4 as string | undefined,
    card_brand: card_brand as string | undefined,
    terms: [...(metadata as string[]), ...pair],
  }
}
