import type { OnStop } from '@cobro/runtime'
import { type BenchRun, connectPublisher, startBenchStack, startServer, withCleanup } from './bench-stack.ts'
import { measureCharges } from './charge-rates.ts'
import { measureLists } from './list-latency.ts'
import { reportProfile } from './profile-report.ts'

interface Options extends BenchRun {
  /** `charges`, `lists`, or `all`. */
  part: string
  /** The number of charges per round. */
  charges: number
  /** The number of rows of the longer list. The shorter one has a fifth. */
  rows: number
  profile: boolean
}

const services = ['transactions'] as const
/** One more than the hand-written inserts use. */
const connections = 17

/**
 * Measures charges from the queue to the database against hand-written inserts of the same rows,
 * and how much slower a page of a list is with five times as many rows.
 */
export async function benchTransactions(options: Options): Promise<void> {
  const { part, rows } = options
  if (part !== 'lists') await withCleanup(onStop => benchCharges({ ...options, onStop }))
  if (part === 'charges') return
  const fewer = await startBenchStack({ services, connections }, options)
  const more = await startBenchStack({ services, connections }, options)
  await measureLists(
    [
      { ...fewer, rows: rows / 5 },
      { ...more, rows },
    ],
    options.signal,
  )
}

async function benchCharges({ charges, profile, signal, onStop }: Options): Promise<void> {
  const env = { transactions: { ACQUIRER_URL: await startInstantAcquirer(onStop) } }
  const profiled = profile ? (['transactions'] as const) : []
  const bench = await startBenchStack({ services, env, profiled, connections }, { signal, onStop })
  await measureCharges({ ...bench, charges, publisher: await connectPublisher(bench, onStop), signal })
  for (const service of profiled) await reportProfile(bench, service)
}

/** Starts an acquirer that approves every charge at once. */
function startInstantAcquirer(onStop: OnStop): Promise<string> {
  return startServer((request, response) => {
    request.resume().on('end', () => {
      const key = request.headers['idempotency-key']
      const answer = { key, status: 'approved', reference: `ch_${key}`, response_code: '00', risk_score: 3 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  }, onStop)
}
