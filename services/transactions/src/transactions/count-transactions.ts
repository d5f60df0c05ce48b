import type { Caller, TransactionQuery } from '@cobro/contracts'
import { type Database, type Reader, scopeOf } from '@cobro/database'

/** What the kept counts are told apart by. All else has to be counted row by row. */
const kept = new Set(['status', 'payment_method', 'rail', 'currency'])

/** Tells whether the kept counts say how many transactions fit a query. */
export function isCounted({ filters, amount_min, amount_max, terms, search, from, to }: TransactionQuery): boolean {
  const narrowed = search || from || to || amount_min !== undefined || amount_max !== undefined || terms.length > 0
  return !narrowed && Object.keys(filters).every(name => kept.has(name))
}

/** How many transactions fit a query that `isCounted`: as exact as counting them, and as cheap for millions as for one. */
export async function countTransactions(
  em: Reader,
  schema: string,
  caller: Caller,
  { filters }: TransactionQuery,
): Promise<number> {
  const { merchant_id } = scopeOf(caller)
  const merchants = typeof merchant_id === 'object' ? merchant_id.$in : merchant_id && [merchant_id]
  const equal = Object.entries({ ...filters, ...(merchants && { merchant_id: merchants }) })
  // An empty list matches nothing, and no list is written `()`.
  const conditions = equal.map(([name, value]) => `${name} in (${placesFor(value)})`)
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  const given = equal.flatMap(([, value]) => value)
  const totals = `${schema}.transaction_totals${merchants ? '' : '_of_all'}`
  const sql = `select coalesce(sum(count), 0)::text as count from ${totals} ${where}`
  const [row] = await em.execute<{ count: string }[]>(sql, given)
  return Number(row?.count)
}

const placesFor = (values: unknown) =>
  [values]
    .flat()
    .map(() => '?')
    .join(', ') || 'null'

/** More rows than this are added up in several statements, each of which is done in a moment. */
const atOnce = 10_000

/**
 * Adds what has changed to the kept counts. Several replicas may do it at once: each takes changes that no other has taken, and
 * adds them in the same order as all. Readers see a change in one of the two places, whenever they look.
 */
export async function foldCounts({ read, schema }: Pick<Database, 'read' | 'schema'>): Promise<void> {
  for (;;) {
    const [folded] = await read(em => em.execute<{ taken: number }[]>(foldSql(schema), [atOnce]))
    if ((folded?.taken ?? 0) < atOnce) return
  }
}

const foldSql = (schema: string) => `
  with taken as (
    delete from ${schema}.transaction_count_changes
    where ctid = any (array(select ctid from ${schema}.transaction_count_changes limit ? for update skip locked))
    returning *
  ), added as (
    insert into ${schema}.transaction_counts as kept
    select merchant_id, status, payment_method, rail, currency, sum(change) from taken
    group by merchant_id, status, payment_method, rail, currency having sum(change) <> 0
    order by merchant_id, status, payment_method, rail, currency
    on conflict (merchant_id, status, payment_method, rail, currency) do update set count = kept.count + excluded.count
  )
  select count(*)::integer as taken from taken`
