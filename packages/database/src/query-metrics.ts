import { observeGauge } from '@cobro/runtime'
import type { Database } from './open-database.ts'

/**
 * Registers a gauge with the column `value` of a query's first row; 0 if there is no row or it is
 * null. All replicas report the same.
 */
export function observeQuery(
  db: Pick<Database, 'execute'>,
  name: string,
  options: { description: string; unit?: string },
  sql: string,
): void {
  observeGauge(name, options, async () => {
    const [row] = await db.execute<{ value: number | null }>(sql)
    return [{ value: row?.value ?? 0 }]
  })
}
