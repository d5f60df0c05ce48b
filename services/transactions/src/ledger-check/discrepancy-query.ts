/** A query for rows that don't match the ledger entries. */
export interface DiscrepancyQuery {
  /** The kind of row, which the API returns with the first discrepancy. */
  kind: string
  /**
   * Returns SQL that selects `id`, `expected` and `found`. `scope` restricts the merchants: a condition on `merchant_id` without
   * a table name, so that it can follow an alias and a dot.
   */
  sql: (scope: string) => string
}
