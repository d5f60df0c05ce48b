import { setTimeout as sleep } from 'node:timers/promises'
import { countStatements } from './count-statements.ts'
import { makePayments, type PaymentSystem, untilSteady } from './payer.ts'
import { readSpent, spentEach, statisticsDelayMs } from './payment-costs.ts'
import type { PaymentsRun } from './payment-sides.ts'

/** Work in the database, for each payment or second. */
export interface DatabaseWork {
  commits: number
  /** By application name, such as `cobro-checkout`; with begin and commit. */
  statements: Record<string, number>
}

interface PaymentCounts extends DatabaseWork {
  payments: number
}

/**
 * Makes payments until a time has passed, waits until all of their work is done, and counts it. Logging
 * statements takes time, so nothing else can be measured meanwhile. Polls of idle services count too.
 */
export async function countPayments(
  { bench, receiver, signal }: PaymentsRun,
  system: PaymentSystem,
  load: { concurrent: number; seconds: number },
): Promise<PaymentCounts> {
  let payments = 0
  const before = await readSpent(bench.pool, {})
  const counts = await countStatements({ pool: bench.pool, logFile: `${bench.dir}/logs/postgres.log` }, async () => {
    payments = (await makePayments(system, { ...load, signal })).payMs.length
    await untilSteady(receiver.received)
    await sleep(statisticsDelayMs)
  })
  const { commits } = spentEach(before, await readSpent(bench.pool, {}), payments)
  const statements = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / payments]))
  return { payments, commits, statements }
}

/** Returns the sum of the statements of all applications. */
export const allStatements = ({ statements }: DatabaseWork): number =>
  Object.values(statements).reduce((sum, count) => sum + count, 0)
