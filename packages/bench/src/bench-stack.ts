import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningStack, type StackOptions, startStack } from '@cobro/local-stack'
import { Pool } from 'pg'

/** The environment of a benchmark. */
export interface BenchStack {
  dir: string
  stack: RunningStack
  pool: Pool
}

interface Wanted {
  services: StackOptions['services']
  env?: StackOptions['env']
  /** The number of database connections that the benchmark itself may open. */
  connections: number
  signal: AbortSignal
}

/** Runs `work` with new servers, a new database and new services. */
export async function withBenchStack(wanted: Wanted, work: (on: BenchStack) => Promise<void>): Promise<void> {
  const { services, env, connections, signal } = wanted
  const stops: (() => Promise<unknown>)[] = []
  try {
    const dir = await mkdtemp(join(tmpdir(), 'cobro-bench-'))
    stops.push(() => rm(dir, { recursive: true, force: true }))
    const settings = { all: { LOG_LEVEL: 'warn' }, ...env }
    const stack = await startStack({ dir, services, env: settings, report: print, signal })
    stops.push(stack.stop)
    const pool = new Pool({ connectionString: stack.stack.postgres_url, max: connections })
    stops.push(() => pool.end())
    await work({ dir, stack, pool })
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

export const print = (line: string) => void process.stdout.write(`${line}\n`)
