import { setTimeout as sleep } from 'node:timers/promises'
import { idTimeMs } from '@cobro/contracts'
import type { Publisher } from '@cobro/messaging'
import type { Pool } from 'pg'
import { auditCalls } from './audit-calls.ts'
import { type BenchRun, type BenchStack, connectPublisher, print, publishMany, startBenchStack } from './bench-stack.ts'
import { measureConsumption } from './measure-consumption.ts'
import { percentile } from './median.ts'
import { verifyRun } from './verify-run.ts'

interface Options extends BenchRun {
  /** How many events to consume from the queue at full speed. */
  events: number
}

/** What the parts of a run share. */
interface Run extends Options, BenchStack {
  publisher: Publisher
}

const waveSize = 2_000
const steadyPerSecond = 2_000
const steadySeconds = 10
const lookups = 200

/**
 * Measures how many queued events per second the audit log hashes, signs and stores,
 * the latency until an event is visible at a constant rate, the time to find a lifecycle, and verification.
 */
export async function benchAudit(options: Options): Promise<void> {
  const bench = await startBenchStack({ services: ['gateway', 'audit-log'] }, options)
  const run = { ...options, ...bench, publisher: await connectPublisher(bench, options.onStop) }
  await ingest(run)
  await steady(run)
  await findLifecycles(run)
  const { size, seconds } = await verifyRun(bench)
  print(`verified                  ${Math.round(size / seconds)} events/s, ${size} events, each hashed again`)
}

async function ingest({ events, signal, stack, pool, publisher }: Run): Promise<void> {
  const publish = (count: number) => publishCalls(publisher, count)
  const log = { service: stack.process('audit-log'), publish, handled: () => sizeOf(pool) }
  const { perSecond, cpuUs } = await measureConsumption({ ...log, signal, waveSize, total: events, warmUp: waveSize })
  print(
    `\nfrom the queue to the log ${Math.round(perSecond)} events/s, ${Math.round(cpuUs)} µs of the service’s processor time each`,
  )
}

async function steady({ signal, pool, publisher }: Run): Promise<void> {
  const seen: { size: number; atMs: number }[] = []
  const first = await sizeOf(pool)
  const sample = async () => seen.push({ size: await sizeOf(pool), atMs: Date.now() })
  const total = steadyPerSecond * steadySeconds
  const startMs = Date.now()
  for (let sent = 0; sent < total; ) {
    signal.throwIfAborted()
    const due = Math.min(total, Math.floor(((Date.now() - startMs) / 1000) * steadyPerSecond))
    void publishCalls(publisher, due - sent)
    sent = due
    await Promise.all([sample(), sleep(5)])
  }
  while ((seen.at(-1)?.size ?? 0) < first + total) await Promise.all([sample(), sleep(5)])
  const { rows } = await pool.query('select seq, id from audit.events where seq > $1 order by seq', [first])
  const waits = rows.map(({ seq, id }) => (seen.find(({ size }) => size >= Number(seq))?.atMs ?? 0) - idTimeMs(id))
  print(
    `at ${steadyPerSecond} events/s, visible p50 ${percentile(waits, 0.5)} ms, p99 ${percentile(waits, 0.99)} ms after they happened; aim: p99 under 1000`,
  )
}

async function findLifecycles({ pool }: Run): Promise<void> {
  const { rows } = await pool.query(
    'select correlation_id from audit.events where seq % 7 = 0 and correlation_id is not null limit $1',
    [lookups],
  )
  const times: number[] = []
  for (const { correlation_id } of rows) {
    const startMs = performance.now()
    await pool.query('select * from audit.events where correlation_id = $1 order by occurred_at desc limit 50', [
      correlation_id,
    ])
    times.push(performance.now() - startMs)
  }
  const size = await sizeOf(pool)
  print(
    `a lifecycle among ${size} events: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms; aim: under 10`,
  )
}

const publishCalls = (publisher: Publisher, count: number) => publishMany(publisher, 'calls', auditCalls(count))

async function sizeOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query('select size from audit.tree_head')
  return Number(rows[0]?.size)
}
