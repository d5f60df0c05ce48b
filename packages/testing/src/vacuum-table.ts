import { waitFor } from './wait-for.ts'

const patienceMs = 60_000

/**
 * Vacuums and analyzes a table, with its partitions, until all that it holds is marked as visible to everybody. A transaction that
 * is open meanwhile, such as an analysis that the server runs by itself, keeps rows from being marked; the planner would then not
 * read an index alone.
 */
export async function vacuumTable(query: (sql: string) => Promise<any[]>, table: string): Promise<void> {
  await waitFor(
    async () => {
      await query(`vacuum analyze ${table}`)
      const [{ unmarked }] = await query(
        `select count(*)::integer as unmarked from pg_class
         where (oid = '${table}'::regclass or oid in (select inhrelid from pg_inherits where inhparent = '${table}'::regclass))
           and relkind = 'r' and relallvisible < relpages`,
      )
      return unmarked === 0
    },
    { timeoutMs: patienceMs, intervalMs: 500 },
  )
}
