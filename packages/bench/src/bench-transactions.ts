import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPublisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { print, withBenchStack } from './bench-stack.ts'
import { measureCharges } from './charge-rates.ts'
import { startInstantAcquirer } from './instant-acquirer.ts'
import { measureLists } from './list-latency.ts'
import { largestProfile, printShares } from './profile-report.ts'

interface Options {
  /** `charges`, `lists`, or `all`. */
  part: string
  /** The number of charges per round. */
  charges: number
  /** The number of rows of the longer list. The shorter one has a fifth. */
  rows: number
  profile: boolean
  signal: AbortSignal
}

const services = ['transactions'] as const
/** One more than the hand-written inserts use. */
const connections = 17

/**
 * The transactions service: charges from the queue to the database, compared with hand-written inserts of the same rows; and how
 * much slower a page of a list is with five times as many rows.
 */
export async function benchTransactions({ part, charges, rows, profile, signal }: Options): Promise<void> {
  if (part !== 'lists') await benchCharges({ charges, profile, signal })
  if (part === 'charges') return
  await withBenchStack({ services, connections, signal }, fewer =>
    withBenchStack({ services, connections, signal }, more =>
      measureLists(
        [
          { ...fewer, rows: rows / 5 },
          { ...more, rows },
        ],
        { signal, print },
      ),
    ),
  )
}

async function benchCharges({ charges, profile, signal }: Pick<Options, 'charges' | 'profile' | 'signal'>) {
  const acquirer = await startInstantAcquirer()
  const profiles = await mkdtemp(join(tmpdir(), 'cobro-bench-'))
  const profiling: Record<string, string> = profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` } : {}
  try {
    const env = { transactions: { ACQUIRER_URL: acquirer.url, ...profiling } }
    await withBenchStack({ services, env, connections, signal }, async on => {
      const logger = createLogger('bench', 'warn')
      const publisher = openPublisher({ url: on.stack.stack.amqp_url, namespace: 'cobro', logger })
      await measureCharges({ ...on, charges, publisher, signal, print }).finally(publisher.close)
      if (!profile) return
      await on.stack.process('transactions').stop()
      printShares(await largestProfile(profiles), 0)
    })
  } finally {
    await acquirer.stop()
    await rm(profiles, { recursive: true, force: true })
  }
}
