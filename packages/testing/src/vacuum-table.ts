import { waitFor } from './wait-for.ts'

const vacuumTimeoutMs = 60_000

/**
 * Vacuums and analyzes a table and its partitions until all pages are marked all-visible. An open
 * transaction, such as an autovacuum analyze, prevents that, and the planner would avoid index-only scans. A few dead rows
 * prevent it too: by default PostgreSQL then leaves them in the indexes, and their pages unmarked.
 */
export async function vacuumTable(query: (sql: string) => Promise<any[]>, table: string): Promise<void> {
  await waitFor(
    async () => {
      await query(`vacuum (analyze, index_cleanup on) ${table}`)
      const [{ unmarked }] = await query(
        `select count(*)::integer as unmarked from pg_class
         where (oid = '${table}'::regclass or oid in (select inhrelid from pg_inherits where inhparent = '${table}'::regclass))
           and relkind = 'r' and relallvisible < relpages`,
      )
      return unmarked === 0
    },
    { timeoutMs: vacuumTimeoutMs, intervalMs: 500 },
  )
}
