import type { Database } from '@cobro/database'
import { observeGauge } from '@cobro/runtime'

/** Registers metrics of the log's size on disk and of the budget for it, for an alert before the budget is used up. */
export function registerSizeMetrics(db: Database, budgetGb: number): void {
  const size = { description: 'Size of the audit log on the disk of PostgreSQL', unit: 'By' }
  observeGauge('cobro_audit_size_bytes', size, async () => [{ value: await readLogSize(db) }])
  const budget = { description: 'The size that the audit log may reach (AUDIT_SIZE_BUDGET_GB)', unit: 'By' }
  observeGauge('cobro_audit_size_budget_bytes', budget, () => [{ value: budgetGb * 1e9 }])
}

/** Reads the bytes of all tables of the schema: events, tree, and their indexes. Files are measured, no row is read. */
export async function readLogSize(db: Database): Promise<number> {
  const [row] = await db.execute<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relnamespace = ?::regnamespace and relkind = 'r'`,
    [db.schema],
  )
  return Number(row?.bytes)
}
