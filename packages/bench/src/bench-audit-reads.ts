import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Caller, newId } from '@cobro/contracts'
import { identitySigner, internalHeaders } from '@cobro/http'
import type { Pool } from 'pg'
import { print, withBenchStack } from './bench-stack.ts'
import { percentile } from './median.ts'
import { verifyRun } from './verify-run.ts'

const auditLog = join(import.meta.dirname, '..', '..', '..', 'services', 'audit-log')
const most = 200
const patienceMs = 3_000

/** The audit-log service under test, and the ids in its log. */
interface Log {
  url: string
  pool: Pool
  sign: (caller: Caller) => Promise<string>
  merchant: string
}

/**
 * Reads from a log of millions of events: fills it the way the service appends, then measures pages with exact counts, exports and
 * a verification of the whole log.
 */
export async function benchAuditReads({ events, signal }: { events: number; signal: AbortSignal }): Promise<void> {
  const services = ['gateway', 'audit-log'] as const
  await withBenchStack({ services, connections: 1, signal }, async ({ dir, stack, pool }) => {
    const { postgres_url, services: addresses } = stack.stack
    const secrets = JSON.parse(await readFile(join(dir, 'secrets.json'), 'utf8'))
    const key = JSON.stringify(secrets.audit_signing_key)
    const signIdentity = await identitySigner(secrets.internal_signing_key)
    const log: Log = {
      url: addresses['audit-log']?.url ?? '',
      pool,
      sign: caller => signIdentity(caller, 'audit-log'),
      merchant: newId('mrc'),
    }
    await fill(log, { events, url: postgres_url, key, signal })
    await readAll(log)
    await exportAll(log)
    const { size, seconds, peakMb } = await verifyRun(postgres_url, key)
    print(`verified ${size} events, ${Math.round(size / seconds)} a second, with at most ${peakMb} MB of memory`)
  })
}

interface Filling {
  events: number
  url: string
  key: string
  signal: AbortSignal
}

async function fill({ pool, merchant }: Log, { events, url, key, signal }: Filling): Promise<void> {
  const startMs = performance.now()
  const env = { PATH: process.env.PATH, DATABASE_URL: url, AUDIT_SIGNING_KEY: key }
  const command = ['--conditions=cobro-source', 'test/fill-log.ts', String(events), merchant]
  await promisify(execFile)(process.execPath, command, { cwd: auditLog, env, signal })
  const seconds = (performance.now() - startMs) / 1_000
  print(`\nappended ${events} events, 5,000 at a time, ${Math.round(events / seconds)} a second`)
  await pool.query('vacuum analyze audit.events')
}

async function readAll(log: Log): Promise<void> {
  const some = async (name: string) => {
    const select = `select distinct ${name} as value from audit.events tablesample system (1) where ${name} is not null limit $1`
    return (await log.pool.query(select, [most])).rows.map(({ value }) => `${name}=${value}`)
  }
  const [from, to] = [3, 2].map(ago => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10))
  const days = `from=${from}&to=${to}`
  print('\npages of 50 with their exact counts; `one` is a merchant that has a fifth of all events')
  for (const name of ['correlation_id', 'request_id', 'target_id']) await read(log, name, 'all', await some(name))
  for (const who of ['all', 'one'] as const) {
    const queries = [
      '',
      'action=payment.approved',
      'category=error',
      'category=webhook',
      `category=webhook&${days}`,
      days,
    ]
    for (const query of queries) await read(log, query || 'everything', who, Array(most).fill(query))
  }
  for (const query of ['order=action', 'order=status_code', 'search=hosted', `search=hosted&${days}`])
    await read(log, query, 'all', Array(most).fill(query))
}

async function read(log: Log, what: string, who: 'all' | 'one', queries: string[]): Promise<void> {
  const times: number[] = []
  const untilMs = performance.now() + patienceMs
  let answer = { count: 0 }
  await ask(log, who, `?${queries[0]}`)
  for (const query of queries) {
    const startMs = performance.now()
    answer = (await (await ask(log, who, `?${query}`)).json()) as typeof answer
    times.push(performance.now() - startMs)
    if (performance.now() > untilMs) break
  }
  const [p50, p99] = [0.5, 0.99].map(share => `${percentile(times, share).toFixed(1)} ms`.padStart(10))
  print(`${who}  ${what.padEnd(50)} p50 ${p50}  p99 ${p99}  of ${times.length}; the last had ${answer.count} events`)
}

async function exportAll(log: Log): Promise<void> {
  const startMs = performance.now()
  let bytes = 0
  for await (const chunk of (await ask(log, 'all', '/export')).body ?? []) bytes += chunk.length
  const seconds = (performance.now() - startMs) / 1_000
  print(`exported ${(bytes / 1e6).toFixed(0)} MB as NDJSON, ${(bytes / 1e6 / seconds).toFixed(1)} MB a second`)
}

async function ask({ url, sign, merchant }: Log, who: 'all' | 'one', path: string): Promise<Response> {
  const stated =
    who === 'one' ? { merchant_id: merchant, merchant_name: 'Bench', merchant_status: 'active' as const } : {}
  const caller: Caller = { kind: 'operator', id: newId('usr'), merchants: 'all', ...stated }
  const response = await fetch(`${url}/api/events${path}`, {
    headers: { [internalHeaders.identity]: await sign(caller) },
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}
