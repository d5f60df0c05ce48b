import type { Caller, TransactionQuery } from '@cobro/contracts'
import { type Database, listRows, scopeOf } from '@cobro/database'
import { countTransactions, isCounted } from './count-transactions.ts'
import { TransactionEntity } from './transaction-entity.ts'

/** One page of the transactions that a caller may see and that fit its query, and the number of all of them. */
export function listTransactions(
  { read, schema }: Pick<Database, 'read' | 'schema'>,
  caller: Caller,
  { search, ...query }: TransactionQuery,
) {
  const { amount_min, amount_max, terms } = query
  const conditions: object[] = [scopeOf(caller), { deleted_at: null }]
  if (amount_min !== undefined) conditions.push({ amount_cents: { $gte: amount_min } })
  if (amount_max !== undefined) conditions.push({ amount_cents: { $lte: amount_max } })
  if (terms.length > 0) conditions.push({ metadata_terms: { $contains: terms } })
  if (search) conditions.push({ search_text: { $like: searchPattern(search) } })
  const count = isCounted({ search, ...query })
    ? () => read(em => countTransactions(em, schema, caller, query))
    : undefined
  // A status has many rows, so that within it they come by time, as they do within the index.
  const ties = query.order === 'status' ? 'created_at' : undefined
  return read(em =>
    listRows(em, TransactionEntity, caller, query, { search: [], scope: { $and: conditions }, count, ties }),
  )
}

/** Any part of a field from three characters on; below that what a field begins with, which is where its line begins. */
function searchPattern(search: string): string {
  const text = search.toLowerCase().replace(/[\\%_]/g, '\\$&')
  return search.length < 3 ? `%\n${text}%` : `%${text}%`
}
