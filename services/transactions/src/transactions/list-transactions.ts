import type { Caller, TransactionQuery } from '@cobro/contracts'
import { type Database, directionOf, listRows, scopeOf } from '@cobro/database'
import { raw } from '@mikro-orm/core'
import { countTransactions, isCounted } from './count-transactions.ts'
import { TransactionEntity } from './transaction-entity.ts'

/** One page of the transactions that a caller may see and that fit its query, and the number of all of them. */
export async function listTransactions(
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
  const kept = (filters: TransactionQuery['filters']) =>
    read(em => countTransactions(em, schema, caller, { ...query, filters }))
  const count = isCounted({ search, ...query }) ? () => kept(query.filters) : undefined
  const byText = Boolean(search) || terms.length > 0
  const all = byText ? await kept({}) : 0
  const orderBy = byText
    ? (found: number) => (found * atWorst > all ? inOrder(caller, query) : lookedUp(query))
    : inOrder(caller, query)
  return read(em =>
    listRows(em, TransactionEntity, caller, query, { search: [], scope: { $and: conditions }, count, orderBy }),
  )
}

/**
 * A page of what a text is found in may be read off the order of the list, which is soon done, unless all that match lie together at
 * its end: then everything before them is read. To look one up and sort it costs about four times what passing one by does. So
 * that neither takes longer at its worst than the other would, a text is looked up that up to a quarter of the rows have.
 */
const atWorst = 4

/**
 * What few rows have is looked up by an index of texts, and then sorted: how many have a text the planner can only guess, and to
 * read a merchant's rows in their order until a page of those was together took 16 s for two of a million. The least of one
 * value is that value, and has no index.
 */
function lookedUp(query: TransactionQuery): object[] {
  return [by('least', query.order, directionOf(TransactionEntity, query)), { id: query.dir }]
}

/**
 * The order of an index, of which a page is read off. For all merchants together the time is that of their own index, as the greatest
 * of one value: the planner would read the rows of one merchant out of those of all, however far back they lie.
 */
function inOrder(caller: Caller, query: TransactionQuery): object[] {
  const { order, dir } = query
  const time = typeof scopeOf(caller).merchant_id === 'string' ? { created_at: dir } : by('greatest', 'created_at', dir)
  if (order === 'created_at') return [time, { id: dir }]
  // A status has many rows: within it they come by time, as they do in the index.
  return [{ [order]: directionOf(TransactionEntity, query) }, ...(order === 'status' ? [time] : []), { id: dir }]
}

function by(fold: 'least' | 'greatest', column: string, direction: string): object {
  return { [raw(alias => `${fold}(${alias}.${column})`)]: direction }
}

/** Any part of a field from three characters on; below that what a field begins with, which is where its line begins. */
function searchPattern(search: string): string {
  const text = search.toLowerCase().replace(/[\\%_]/g, '\\$&')
  return search.length < 3 ? `%\n${text}%` : `%${text}%`
}
