import { z } from 'zod'
import { id } from '../ids.ts'
import { metadataPath, metadataTerm, metadataText } from '../metadata-terms.ts'
import { maxAmountCents } from '../money.ts'
import { type Filters, type ListQuery, listQuery } from '../pagination.ts'

/** A query of transactions: besides equal fields, a range of amounts and the terms that their metadata must all have. */
export interface TransactionQuery extends ListQuery {
  amount_min: number | undefined
  amount_max: number | undefined
  terms: string[]
}

const cents = z
  .string()
  .regex(/^\d{1,11}$/, { error: 'expected an integer in minor units (cents)' })
  .transform(Number)
  .refine(value => value >= 1 && value <= maxAmountCents, { error: `expected 1 to ${maxAmountCents}` })

/** The terms of a JSON object of scalars. Its keys are looked at one by one: a schema of records passes over `__proto__`. */
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
  folio: z.string().max(64),
  amount_cents: cents,
  amount_min: cents,
  amount_max: cents,
  terminal_id: id('trm'),
  payment_link_id: id('pl'),
  metadata: flatObject,
  metadata_key: metadataPath,
  metadata_value: metadataText,
}

/** The query of the list of transactions, whose parameters may be joined by any number of `metadata.<path>`. */
export function transactionQuery({ filters, order }: { filters: Filters; order: readonly string[] }) {
  const query = listQuery({ order, filters: { ...filters, ...extra }, search: true })
  return z.preprocess(foldFields, query.superRefine(refuseContradictions).transform(toTransactionQuery))
}

const prefix = 'metadata.'

/** Fields that are named one by one become part of the object: no schema could name them all. */
function foldFields(query: unknown): unknown {
  const entries = Object.entries(query as object)
  const named = entries
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value])
  if (named.length === 0) return query
  const others = Object.fromEntries(entries.filter(([name]) => !name.startsWith(prefix)))
  const known = others.metadata === undefined ? {} : parsedObject(String(others.metadata))
  // What is not an object, or names a field twice, is left for the schema to refuse.
  if (!known || named.some(([name]) => Object.hasOwn(known, name))) return { ...others, metadata: '' }
  return { ...others, metadata: JSON.stringify(Object.fromEntries([...Object.entries(known), ...named])) }
}

function refuseContradictions({ filters }: ListQuery, context: z.core.$RefinementCtx): void {
  const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
  const has = (name: string) => filters[name] !== undefined
  if (has('amount_cents') && (has('amount_min') || has('amount_max')))
    fault('amount_cents', 'cannot be combined with amount_min or amount_max')
  if (has('folio') && has('reference')) fault('folio', 'cannot be combined with reference')
  if (has('metadata_key') !== has('metadata_value')) fault('metadata_key', 'expected together with metadata_value')
}

function toTransactionQuery({ filters, ...query }: ListQuery): TransactionQuery {
  const { folio, amount_min, amount_max, metadata = [], metadata_key, metadata_value, ...equal } = filters
  const pair = metadata_key === undefined ? [] : [metadataTerm(String(metadata_key), String(metadata_value))]
  return {
    ...query,
    filters: folio === undefined ? equal : { ...equal, reference: folio },
    amount_min: amount_min as number | undefined,
    amount_max: amount_max as number | undefined,
    terms: [...(metadata as string[]), ...pair],
  }
}
