import { readFile } from 'node:fs/promises'
import type { Pool } from 'pg'

/** Counts a service's SQL statements during `work`, by PostgreSQL's log, with begin and commit. */
export async function countStatements(
  { pool, logFile, service }: { pool: Pool; logFile: string; service: string },
  work: () => Promise<unknown>,
): Promise<number> {
  const before = (await readFile(logFile, 'utf8')).length
  await pool.query(`alter system set log_line_prefix = '%a|'`)
  await pool.query(`alter system set log_statement = 'all'`)
  await pool.query('select pg_reload_conf()')
  await work()
  await pool.query('alter system reset log_statement')
  await pool.query('select pg_reload_conf()')
  const log = (await readFile(logFile, 'utf8')).slice(before)
  return log
    .split('\n')
    .filter(line => line.startsWith(`cobro-${service}|LOG:  `) && / (statement|execute [^:]*): /.test(line)).length
}
