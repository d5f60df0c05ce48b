import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '@cobro/local'
import { openPublisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { Pool } from 'pg'
import { measureCharges } from './charge-rates.ts'
import { startInstantAcquirer } from './instant-acquirer.ts'
import { measureLists } from './list-latency.ts'
import { largestProfile, printShares } from './profile-report.ts'

interface Options {
  /** `charges`, `lists`, or `all`. */
  part: string
  /** How many charges each round carries out. */
  charges: number
  /** How many rows the longer list has; the shorter one has a fifth. */
  rows: number
  profile: boolean
  signal: AbortSignal
}

/**
 * The transactions service: charges from the queue to what they leave in the database, beside the same rows written by hand; and
 * how much longer a page of a list takes where there are five times as many rows.
 */
export async function benchTransactions({ part, charges, rows, profile, signal }: Options): Promise<void> {
  const stops: (() => Promise<unknown>)[] = []
  try {
    const dir = await mkdtemp(join(tmpdir(), 'cobro-bench-'))
    stops.push(() => rm(dir, { recursive: true, force: true }))
    const acquirer = await startInstantAcquirer()
    stops.push(acquirer.stop)
    const profiling: Record<string, string> = profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir}` } : {}
    const env = { all: { LOG_LEVEL: 'warn' }, transactions: { ACQUIRER_URL: acquirer.url, ...profiling } }
    const stack = await startStack({ dir, services: ['gateway', 'transactions'], env, report: print, signal })
    stops.push(stack.stop)
    const publisher = openPublisher({
      url: stack.stack.amqp_url,
      namespace: 'cobro',
      logger: createLogger('bench', 'warn'),
    })
    stops.push(publisher.close)
    const pool = new Pool({ connectionString: stack.stack.postgres_url, max: 17 })
    stops.push(() => pool.end())
    if (part !== 'lists') await measureCharges({ charges, stack, pool, publisher, signal, print })
    if (part !== 'charges') await measureLists({ dir, stack, pool, sizes: [rows / 5, rows], signal, print })
    if (profile) {
      await stack.process('transactions').stop()
      printShares(await largestProfile(dir), 0)
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

const print = (line: string) => void process.stdout.write(`${line}\n`)
