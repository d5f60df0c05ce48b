import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { percentile } from './median.ts'
import { makeWholePayments, type PaymentLoad, type PaymentSystem } from './payer.ts'
import { memoryOf, type Processes, readSpent, spentEach, statisticsDelayMs } from './payment-costs.ts'

/** The measurements of a number of concurrent payments, by name. Costs are for each payment. */
export type Measurements = Map<string, number>

interface Measured {
  system: PaymentSystem
  /** The processes of the system itself, and those of its servers. */
  own: Processes
  servers: Processes
  pool: Pool
  /** How many webhooks were received so far. */
  received: () => number
  signal: AbortSignal
}

/** Makes payments, waits until all of their work is done, and returns what they took. */
export async function measurePayments(
  { system, own, servers, pool, received, signal }: Measured,
  load: PaymentLoad,
): Promise<Measurements> {
  const processes = { ...own, ...servers }
  const before = { webhooks: received(), spent: await readSpent(pool, processes) }
  const { createMs, payMs, seconds } = await makeWholePayments(system, load, { received, signal })
  await sleep(statisticsDelayMs)
  const payments = payMs.length
  const { cpuUs, commits, walBytes } = spentEach(before.spent, await readSpent(pool, processes), payments)
  const total = Object.values(cpuUs).reduce((sum, us) => sum + us, 0)
  const measurements: Measurements = new Map([
    ['payments/s', payments / seconds],
    ['create p50, ms', percentile(createMs, 0.5)],
    ['create p95, ms', percentile(createMs, 0.95)],
    ['pay p50, ms', percentile(payMs, 0.5)],
    ['pay p95, ms', percentile(payMs, 0.95)],
    ['CPU time each, ms', total / 1000],
  ])
  for (const [name, us] of Object.entries(cpuUs)) measurements.set(`  ${name}`, us / 1000)
  return measurements
    .set('commits each', commits)
    .set('WAL each, KiB', walBytes / 1024)
    .set('webhooks each', (received() - before.webhooks) / payments)
    .set('memory of the processes, MiB', memoryOf(own) / 1024 ** 2)
}
