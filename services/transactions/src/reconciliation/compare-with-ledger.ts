import { newId } from '@cobro/contracts'
import type { Database, Difference, ReconciledPeriod } from '@cobro/database'
import { checkTransactions } from '../ledger-check/check-transactions.ts'

const pageSize = 500

/**
 * Yields the differences between the ledger and the transactions that were captured in a period, then
 * those of the transactions that it has new entries for. The former find a capture that was not posted, and the latter
 * an entry without a capture.
 */
export async function* ledgerDifferences(db: Database, period: ReconciledPeriod): AsyncGenerator<Difference[]> {
  let after = { at: period.from, id: '' }
  for (;;) {
    const captured = await db.execute<{ id: string; at: string }>(
      `select id, to_jsonb(captured_at) #>> '{}' as at from transactions.transactions
       where (captured_at, id) > (?::timestamptz, ?) and captured_at <= ?::timestamptz
       order by captured_at, id limit ${pageSize}`,
      [after.at, after.id, period.until],
    )
    const last = captured.at(-1)
    if (!last) break
    yield checkTransactions(
      db,
      captured.map(({ id }) => id),
    )
    after = last
  }
  yield* entryDifferences(db, period)
}

/** Pages by id: ids of entries begin with their time. */
async function* entryDifferences(db: Database, { from }: ReconciledPeriod): AsyncGenerator<Difference[]> {
  let after: string = newId('led', new Date(from).getTime())
  for (;;) {
    const entries = await db.execute<{ id: string; transaction_id: string | null }>(
      `select id, transaction_id from transactions.ledger_entries where id > ? order by id limit ${pageSize}`,
      [after],
    )
    const last = entries.at(-1)
    if (!last) break
    const ids = new Set(entries.flatMap(({ transaction_id }) => transaction_id ?? []))
    yield checkTransactions(db, [...ids])
    after = last.id
  }
}
