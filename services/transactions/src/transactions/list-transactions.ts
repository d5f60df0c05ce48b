import type { Caller, TransactionQuery } from '@cobro/contracts'
import { type Database, directionOf, listRows, scopeOf } from '@cobro/database'
import { raw } from '@mikro-orm/core'
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
  const columns = { search: [], scope: { $and: conditions }, count, orderBy: orderOf(caller, { search, ...query }) }
  return read(em => listRows(em, TransactionEntity, caller, query, columns))
}

/**
 * Orders a list so that the planner takes the index that is meant; `least` and `greatest` of one value are that value.
 *
 * How many rows have a text is unknown to it: it would read a merchant's rows in their order until it had a page of those that
 * match, which for two of a million took 16 s. So these are looked up by the text, and then sorted. And it would read a merchant's
 * rows out of those of all, however far back they lie: the index of all merchants has a time of its own.
 */
function orderOf(caller: Caller, query: TransactionQuery): object[] {
  const { order, dir, search, terms } = query
  const direction = directionOf(TransactionEntity, query)
  const by = (fold: string, column: string, way: string) => ({ [raw(alias => `${fold}(${alias}.${column})`)]: way })
  if (search || terms.length > 0) return [by('least', order, direction), { id: dir }]
  const time = typeof scopeOf(caller).merchant_id === 'string' ? { created_at: dir } : by('greatest', 'created_at', dir)
  if (order === 'created_at') return [time, { id: dir }]
  // A status has many rows: within it they come by time, as they do in the index.
  return [{ [order]: direction }, ...(order === 'status' ? [time] : []), { id: dir }]
}

/** Any part of a field from three characters on; below that what a field begins with, which is where its line begins. */
function searchPattern(search: string): string {
  const text = search.toLowerCase().replace(/[\\%_]/g, '\\$&')
  return search.length < 3 ? `%\n${text}%` : `%${text}%`
}
