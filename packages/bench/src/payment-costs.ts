import { readFileSync } from 'node:fs'
import type { Pool } from 'pg'
import { cpuTimeUs } from './cpu-time.ts'
import { childrenOf } from './machine-load.ts'

/** What was spent up to a moment. Times are CPU times in microseconds, by process. */
interface Spent {
  cpuUs: Record<string, number>
  commits: number
  walBytes: number
}

/** Processes by name. With a server's process come all that it started. */
export type Processes = Record<string, number>

/** PostgreSQL's processes report their statistics at most a second late. */
export const statisticsDelayMs = 1_500

/**
 * Makes PostgreSQL write a checkpoint now, and the next one only in an hour.
 * After one, the first change of each page writes the whole page to the log, for the system whose turn it is.
 */
export async function postponeCheckpoints(pool: Pool): Promise<void> {
  await pool.query("alter system set checkpoint_timeout = '1h'")
  await pool.query("alter system set max_wal_size = '20GB'")
  await pool.query('select pg_reload_conf()')
  await pool.query('checkpoint')
}

/** Reads what the processes and the database have spent so far. */
export async function readSpent(pool: Pool, processes: Processes): Promise<Spent> {
  const { rows } = await pool.query(
    `select xact_commit::float8 as commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal_bytes
     from pg_stat_database where datname = current_database()`,
  )
  const cpuUs = Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, treeCpuUs(pid)]))
  return { cpuUs, commits: rows[0].commits, walBytes: rows[0].wal_bytes }
}

/** Returns what was spent between two moments for each of a number of payments. */
export function spentEach(from: Spent, to: Spent, payments: number): Spent {
  const each = (before = 0, after = 0) => (after - before) / payments
  return {
    cpuUs: Object.fromEntries(Object.keys(to.cpuUs).map(name => [name, each(from.cpuUs[name], to.cpuUs[name])])),
    commits: each(from.commits, to.commits),
    walBytes: each(from.walBytes, to.walBytes),
  }
}

/** Returns the memory of processes in bytes, where pages that several share count once. NaN except on Linux. */
export function memoryOf(processes: Processes): number {
  return Object.values(processes).reduce((sum, pid) => sum + proportionalBytes(pid), 0)
}

/** The parent is read last: by then it has the time of a child that ended since they were listed. */
function treeCpuUs(pid: number): number {
  const childrenUs = childrenOf(pid).map(child => treeCpuUs(child) || 0)
  return childrenUs.reduce((sum, us) => sum + us, 0) + cpuTimeUs(pid, { withReaped: true })
}

function proportionalBytes(pid: number): number {
  try {
    return 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}
