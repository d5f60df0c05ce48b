import type { Caller, TransactionQuery } from '@cobro/contracts'
import { listRows, type Reader, scopeOf } from '@cobro/database'
import { TransactionEntity } from './transaction-entity.ts'

/** One page of the transactions that a caller may see and that fit its query, and the number of all of them. */
export function listTransactions(em: Reader, caller: Caller, { search, ...query }: TransactionQuery) {
  const { amount_min, amount_max, terms } = query
  const conditions: object[] = [scopeOf(caller), { deleted_at: null }]
  if (amount_min !== undefined) conditions.push({ amount_cents: { $gte: amount_min } })
  if (amount_max !== undefined) conditions.push({ amount_cents: { $lte: amount_max } })
  if (terms.length > 0) conditions.push({ metadata_terms: { $contains: terms } })
  if (search) conditions.push({ search_text: { $like: searchPattern(search) } })
  return listRows(em, TransactionEntity, caller, query, { search: [], scope: { $and: conditions } })
}

/** Any part of a field from three characters on; below that what a field begins with, which is where its line begins. */
function searchPattern(search: string): string {
  const text = search.toLowerCase().replace(/[\\%_]/g, '\\$&')
  return search.length < 3 ? `%\n${text}%` : `%${text}%`
}
