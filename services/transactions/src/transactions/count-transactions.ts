import type { Caller, TransactionQuery } from '@cobro/contracts'
import { type Database, type Reader, scopeOf } from '@cobro/database'

/** The columns that stored counts are grouped by. Any other filter has to be counted row by row. */
const countedColumns = new Set(['status', 'payment_method', 'rail', 'currency'])

/** Whether the number of transactions that match a query is available from the stored counts. */
export function hasStoredCount({ filters, terms, time, ...query }: TransactionQuery): boolean {
  const { search, from, to, amount_min, amount_max, card_last4, card_brand } = query
  const narrowed = [search, from, to, amount_min, amount_max, card_last4, card_brand].some(Boolean)
  return (
    !narrowed &&
    terms.length === 0 &&
    time === 'created_at' &&
    Object.keys(filters).every(name => countedColumns.has(name))
  )
}

/** Counts matches exactly if `hasStoredCount`: as cheap for millions of rows as for one. */
export async function countTransactions(em: Reader, caller: Caller, { filters }: TransactionQuery): Promise<number> {
  const { merchant_id } = scopeOf(caller)
  const merchants = typeof merchant_id === 'object' ? merchant_id.$in : merchant_id && [merchant_id]
  const equal = Object.entries({ ...filters, ...(merchants && { merchant_id: merchants }) })
  const conditions = equal.map(([name, value]) => `${name} in (${placeholdersFor(value)})`)
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  const given = equal.flatMap(([, value]) => value)
  const totals = `transactions.transaction_totals${merchants ? '' : '_of_all'}`
  const sql = `select coalesce(sum(count), 0)::text as count from ${totals} ${where}`
  const [row] = await em.execute<{ count: string }[]>(sql, given)
  return Number(row?.count)
}

/** `in ()` is a syntax error, so an empty list becomes `in (null)`, which matches nothing. */
const placeholdersFor = (values: unknown) =>
  [values]
    .flat()
    .map(() => '?')
    .join(', ') || 'null'

/** How many changes one statement adds to the counts, so that each statement stays short. */
const batch = 10_000

/**
 * Adds recorded changes to the stored counts. A reader finds each in exactly one of the two tables.
 * Replicas run it concurrently: each takes changes that no other has taken, and adds them in the same order.
 */
export async function foldCounts({ execute }: Pick<Database, 'execute'>): Promise<void> {
  for (;;) {
    const [folded] = await execute<{ taken: number }>(foldSql, [batch])
    if ((folded?.taken ?? 0) < batch) return
  }
}

const foldSql = `
  with taken as (
    delete from transactions.transaction_count_changes
    where ctid = any (array(select ctid from transactions.transaction_count_changes limit ? for update skip locked))
    returning *
  ), added as (
    insert into transactions.transaction_counts as kept
    select merchant_id, status, payment_method, rail, currency, sum(change) from taken
    group by merchant_id, status, payment_method, rail, currency having sum(change) <> 0
    order by merchant_id, status, payment_method, rail, currency
    on conflict (merchant_id, status, payment_method, rail, currency) do update set count = kept.count + excluded.count
  )
  select count(*)::integer as taken from taken`
