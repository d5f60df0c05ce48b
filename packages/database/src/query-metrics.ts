import { observeGauge } from '@cobro/runtime'
import type { Database } from './open-database.ts'

/** Registers a gauge with the column `value` of a query's first row. No row, or null, counts as 0. Every replica reports the same. */
export function observeQuery(
  db: Pick<Database, 'read'>,
  name: string,
  options: { description: string; unit?: string },
  sql: string,
): void {
  observeGauge(name, options, async () => {
    const [row] = await db.read(em => em.execute<{ value: number | null }[]>(sql))
    return [{ value: row?.value ?? 0 }]
  })
}
