import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Id, newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { type BenchRun, type BenchStack, print, startBenchStack } from './bench-stack.ts'
import { percentile } from './median.ts'
import { verifyRun } from './verify-run.ts'

const auditLog = join(import.meta.dirname, '..', '..', '..', 'services', 'audit-log')
/** At most this many queries of a kind, for at most this long. */
const maxQueries = 200
const maxMs = 3_000

interface Options extends BenchRun {
  events: number
}

/** The audit-log service under test, and the merchant that has a fifth of its events. */
interface Log extends BenchStack {
  merchant: Id<'mrc'>
}

/**
 * Measures reads of a log of millions of events, which it fills the way the service appends:
 * pages with exact counts, exports and a verification of the whole log.
 */
export async function benchAuditReads(options: Options): Promise<void> {
  const bench = await startBenchStack({ services: ['gateway', 'audit-log'], connections: 1 }, options)
  const log = { ...bench, merchant: newId('mrc') }
  await fill(log, options)
  await readAll(log)
  await exportAll(log)
  const { size, seconds, peakMb } = await verifyRun(bench)
  print(`verified ${size} events, ${Math.round(size / seconds)} a second, with at most ${peakMb} MB of memory`)
}

async function fill({ stack, secrets, pool, merchant }: Log, { events, signal }: Options): Promise<void> {
  const startMs = performance.now()
  const key = JSON.stringify(secrets.audit_signing_key)
  const env = { PATH: process.env.PATH, DATABASE_URL: stack.stack.postgres_url, AUDIT_SIGNING_KEY: key }
  const command = ['--conditions=cobro-source', 'test/fill-log.ts', String(events), merchant]
  await promisify(execFile)(process.execPath, command, { cwd: auditLog, env, signal })
  const seconds = (performance.now() - startMs) / 1_000
  print(`\nappended ${events} events, 5,000 at a time, ${Math.round(events / seconds)} a second`)
  await pool.query('vacuum analyze audit.events')
}

async function readAll(log: Log): Promise<void> {
  const some = async (name: string) => {
    const select = `select distinct ${name} as value from audit.events tablesample system (1) where ${name} is not null limit $1`
    return (await log.pool.query(select, [maxQueries])).rows.map(({ value }) => `${name}=${value}`)
  }
  const [from, to] = [3, 2].map(ago => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10))
  const days = `from=${from}&to=${to}`
  print('\npages of 50 with their exact counts; `one` is a merchant that has a fifth of all events')
  for (const name of ['correlation_id', 'request_id', 'target_id']) await read(log, name, 'all', await some(name))
  const categories = ['category=error', 'category=webhook', `category=webhook&${days}`]
  for (const who of ['all', 'one'] as const) {
    for (const query of ['', 'action=payment.approved', ...categories, days])
      await read(log, query || 'everything', who, Array(maxQueries).fill(query))
  }
  for (const query of ['order=action', 'order=status_code', 'search=hosted', `search=hosted&${days}`])
    await read(log, query, 'all', Array(maxQueries).fill(query))
}

async function read(log: Log, what: string, who: 'all' | 'one', queries: string[]): Promise<void> {
  const times: number[] = []
  const untilMs = performance.now() + maxMs
  let answer = { count: 0 }
  await call(log, who, `?${queries[0]}`)
  for (const query of queries) {
    const startMs = performance.now()
    answer = (await (await call(log, who, `?${query}`)).json()) as typeof answer
    times.push(performance.now() - startMs)
    if (performance.now() > untilMs) break
  }
  const [p50, p99] = [0.5, 0.99].map(share => `${percentile(times, share).toFixed(1)} ms`.padStart(10))
  print(`${who}  ${what.padEnd(50)} p50 ${p50}  p99 ${p99}  of ${times.length}; the last had ${answer.count} events`)
}

async function exportAll(log: Log): Promise<void> {
  const startMs = performance.now()
  let bytes = 0
  for await (const chunk of (await call(log, 'all', '/export')).body ?? []) bytes += chunk.length
  const seconds = (performance.now() - startMs) / 1_000
  print(`exported ${(bytes / 1e6).toFixed(0)} MB as NDJSON, ${(bytes / 1e6 / seconds).toFixed(1)} MB a second`)
}

async function call({ stack, identify, merchant }: Log, who: 'all' | 'one', path: string): Promise<Response> {
  const headers = await identify(operatorCaller('all', who === 'one' ? merchant : undefined), 'audit-log')
  const response = await fetch(`${stack.stack.services['audit-log']?.url}/api/events${path}`, { headers })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}
