import { readFile } from 'node:fs/promises'
import type { Pool } from 'pg'

/**
 * Counts the SQL statements during `work` by PostgreSQL's log, with begin and commit, for each
 * application name, such as `cobro-checkout`.
 */
export async function countStatements(
  { pool, logFile }: { pool: Pool; logFile: string },
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = (await readFile(logFile, 'utf8')).length
  await pool.query(`alter system set log_line_prefix = '%a|'`)
  await pool.query(`alter system set log_statement = 'all'`)
  await pool.query('select pg_reload_conf()')
  await work()
  await pool.query('alter system reset log_statement')
  await pool.query('select pg_reload_conf()')
  const log = (await readFile(logFile, 'utf8')).slice(before)
  const counts: Record<string, number> = {}
  for (const line of log.split('\n')) {
    const application = /^([\w-]+)\|LOG: {2}(?:statement|execute [^:]*): /.exec(line)?.[1]
    if (application) counts[application] = (counts[application] ?? 0) + 1
  }
  return counts
}
