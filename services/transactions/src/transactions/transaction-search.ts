import type { Caller, TransactionQuery } from '@cobro/contracts'
import { type Database, directionOf, listRows, scopeOf } from '@cobro/database'
import { raw } from '@mikro-orm/core'
import { countTransactions, hasStoredCount } from './count-transactions.ts'
import { TransactionEntity } from './transaction-entity.ts'

/**
 * Returns one page of the matching transactions that a caller may see, and how many match. Where that is `known`, as for the
 * pages of an export, they are not counted again, and all pages together are to be fast.
 */
export async function searchTransactions(
  { read }: Pick<Database, 'read'>,
  caller: Caller,
  { search, ...query }: TransactionQuery,
  known?: number,
) {
  const { time, amount_min, amount_max, card_last4, card_brand, terms } = query
  const conditions: object[] = [scopeOf(caller), { deleted_at: null }]
  // Only then can the indexes by these times be used: they leave out what has none.
  if (time !== 'created_at') conditions.push({ [time]: { $ne: null } })
  if (amount_min !== undefined) conditions.push({ amount_cents: { $gte: amount_min } })
  if (amount_max !== undefined) conditions.push({ amount_cents: { $lte: amount_max } })
  if (card_last4) conditions.push({ card: { last4: card_last4 } })
  if (card_brand) conditions.push({ card: { brand: card_brand } })
  if (terms.length > 0) conditions.push({ metadata_terms: { $contains: terms } })
  if (search) conditions.push({ search_text: { $like: searchPattern(search) } })
  const storedCount = (filters: TransactionQuery['filters']) =>
    read(em => countTransactions(em, caller, { ...query, filters }))
  const stored = hasStoredCount({ search, ...query }) ? () => storedCount(query.filters) : undefined
  const count = known === undefined ? stored : async () => known
  const byText = Boolean(search) || terms.length > 0
  const total = byText ? await storedCount({}) : 0
  const pages = known === undefined ? 1 : Math.ceil(known / query.limit)
  const orderBy = byText
    ? (matches: number) => (matches * pages * sortCost > total ? orderByIndex(caller, query) : orderBySort(query))
    : orderByIndex(caller, query)
  const timeFunction = isOfOneMerchant(caller) ? undefined : ('greatest' as const)
  const columns = { search: [], scope: { $and: conditions }, count, orderBy, time, timeFunction }
  return read(em => listRows(em, TransactionEntity, caller, query, columns))
}

/**
 * A text search has two plans. Reading the list's index in order and filtering is fast unless all
 * matches are at the end of the index: then it reads everything before them. Looking the matches up by their text and
 * sorting them costs about four times as much per match as the filter costs per row. Up to a quarter of the rows are
 * therefore looked up, which bounds the worst case of both.
 */
const sortCost = 4

/**
 * Forces the planner to find matches by the text index and sort them: no index orders by `least`.
 * It only guesses how many rows match, and reading a merchant's rows in order took 16 s for two matches in a million.
 */
function orderBySort(query: TransactionQuery): object[] {
  return [orderByFunction('least', query.order, directionOf(TransactionEntity, query)), { id: query.dir }]
}

/**
 * Returns the order of an index that pages are read from. For all merchants together, a time is
 * ordered by `greatest` of it, which only their own index has; otherwise the planner would read one merchant's
 * rows out of the index of all merchants.
 */
function orderByIndex(caller: Caller, query: TransactionQuery): object[] {
  const { order, dir, time } = query
  const byTime = (name: string) => (isOfOneMerchant(caller) ? { [name]: dir } : orderByFunction('greatest', name, dir))
  // Neither is null in any of the rows, so that one index serves both directions.
  if (order === 'created_at' || order === time) return [byTime(order), { id: dir }]
  // Many rows share a status; the index orders them by time.
  const ties = order === 'status' ? [byTime('created_at')] : []
  return [{ [order]: directionOf(TransactionEntity, query) }, ...ties, { id: dir }]
}

const isOfOneMerchant = (caller: Caller) => typeof scopeOf(caller).merchant_id === 'string'

function orderByFunction(name: 'least' | 'greatest', column: string, direction: string): object {
  return { [raw(alias => `${name}(${alias}.${column})`)]: direction }
}

/** Matches any part of a field (a line of the text), or its beginning below three characters. */
function searchPattern(search: string): string {
  const text = search.toLowerCase().replace(/[\\%_]/g, '\\$&')
  return search.length < 3 ? `%\n${text}%` : `%${text}%`
}
