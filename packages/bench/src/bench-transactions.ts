import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningStack, startStack } from '@cobro/local'
import { openPublisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { Pool } from 'pg'
import { measureCharges } from './charge-rates.ts'
import { startInstantAcquirer } from './instant-acquirer.ts'
import { type ListFigures, measureLists, printGrowth } from './list-latency.ts'
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
  if (part !== 'lists') await benchCharges({ charges, profile, signal })
  if (part === 'charges') return
  const figures: ListFigures[] = []
  for (const size of [rows / 5, rows]) {
    await withStack({}, signal, async ({ stack, dir, pool }) => {
      figures.push(await measureLists({ dir, stack, pool, rows: size, signal, print }))
    })
  }
  printGrowth(figures, print)
}

async function benchCharges({ charges, profile, signal }: Pick<Options, 'charges' | 'profile' | 'signal'>) {
  const acquirer = await startInstantAcquirer()
  const profiles = await mkdtemp(join(tmpdir(), 'cobro-bench-'))
  const profiling: Record<string, string> = profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` } : {}
  try {
    await withStack({ ACQUIRER_URL: acquirer.url, ...profiling }, signal, async ({ stack, pool }) => {
      const logger = createLogger('bench', 'warn')
      const publisher = openPublisher({ url: stack.stack.amqp_url, namespace: 'cobro', logger })
      await measureCharges({ charges, stack, pool, publisher, signal, print }).finally(publisher.close)
      if (!profile) return
      await stack.process('transactions').stop()
      printShares(await largestProfile(profiles), 0)
    })
  } finally {
    await acquirer.stop()
    await rm(profiles, { recursive: true, force: true })
  }
}

interface Surroundings {
  dir: string
  stack: RunningStack
  pool: Pool
}

/** Runs `work` with servers, a database and a service of its own. */
async function withStack(
  env: Record<string, string>,
  signal: AbortSignal,
  work: (surroundings: Surroundings) => Promise<void>,
): Promise<void> {
  const stops: (() => Promise<unknown>)[] = []
  try {
    const dir = await mkdtemp(join(tmpdir(), 'cobro-bench-'))
    stops.push(() => rm(dir, { recursive: true, force: true }))
    const settings = { all: { LOG_LEVEL: 'warn' }, transactions: env }
    const stack = await startStack({ dir, services: ['transactions'], env: settings, report: print, signal })
    stops.push(stack.stop)
    const pool = new Pool({ connectionString: stack.stack.postgres_url, max: 17 })
    stops.push(() => pool.end())
    await work({ dir, stack, pool })
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

const print = (line: string) => void process.stdout.write(`${line}\n`)
