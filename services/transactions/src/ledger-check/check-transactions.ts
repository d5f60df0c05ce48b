import type { Database, Difference } from '@cobro/database'
import { discrepancyQueries } from './ledger-discrepancies.ts'

/** Compares some transactions with the ledger, by those queries of the ledger check that can find them by an index. */
export async function checkTransactions({ read }: Database, ids: readonly string[]): Promise<Difference[]> {
  const found: Difference[] = []
  for (const { kind, sql, transactionColumn } of discrepancyQueries) {
    if (!transactionColumn) continue
    const query = sql(`${transactionColumn} = any (array(select jsonb_array_elements_text(?::jsonb)))`)
    const rows = await read(em => em.execute<{ id: string }[]>(query, [JSON.stringify(ids)]))
    found.push(...rows.map(({ id }) => ({ kind, id })))
  }
  return found
}
