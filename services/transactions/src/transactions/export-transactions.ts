import {
  ApiError,
  type Caller,
  cursor,
  type ListPosition,
  maxExportedTransactions,
  type QueryOf,
  transactionFormatOf,
  type transactionOperations,
} from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { transactionLines } from './transaction-lines.ts'
import { searchTransactions } from './transaction-search.ts'

type Query = QueryOf<typeof transactionOperations.export>

/** How many rows are in memory. With 200, an export took twice as long, and other calls waited no less for it. */
const batchSize = 500

/** Counts what an export contains, and returns its lines. Rejects one of too many rows. */
export async function exportTransactions(db: Pick<Database, 'read'>, caller: Caller, query: Query) {
  const { count } = await searchTransactions(db, caller, { ...query, limit: 1 })
  const matches = count ?? 0
  if (matches > maxExportedTransactions)
    throw new ApiError(
      'invalid_request',
      `${matches} transactions match, and an export has at most ${maxExportedTransactions}: narrow it by a filter`,
    )
  return { count: matches, lines: linesOf(batches(db, { caller, query, matches }), query) }
}

async function* linesOf(rows: ReturnType<typeof batches>, query: Query): AsyncGenerator<string> {
  const { header, linesOf } = transactionLines(transactionFormatOf(query))
  if (header) yield header
  for await (const batch of rows) yield linesOf(batch)
}

interface Matching {
  caller: Caller
  query: Query
  /** How many transactions match. */
  matches: number
}

/**
 * Yields all matching transactions by pages of their list. Each page is a statement of its own, so that no transaction of the
 * database is open while a client reads. Pages follow each other by time and id: no row is repeated, and none is skipped unless
 * its time moves forward meanwhile, as only `disputed_at` and `refund_requested_at` do.
 */
async function* batches(db: Pick<Database, 'read'>, { caller, query, matches }: Matching) {
  let after: ListPosition | undefined
  do {
    const page = { ...query, limit: batchSize, counted: false, after }
    const { data, next } = await searchTransactions(db, caller, page, matches)
    if (data.length > 0) yield data
    after = next === undefined ? undefined : cursor.parse(next)
  } while (after)
}
