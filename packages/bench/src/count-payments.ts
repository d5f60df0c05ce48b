import { setTimeout as sleep } from 'node:timers/promises'
import { countStatements } from './count-statements.ts'
import { makePayments, type PaymentLoad, type PaymentSystem, untilSteady } from './payer.ts'
import { readSpent, statisticsDelayMs } from './payment-costs.ts'
import type { PaymentsRun } from './payment-sides.ts'

/** What was done in the database. */
export interface DatabaseWork {
  commits: number
  /** By application name, such as `cobro-checkout`; with begin and commit. */
  statements: Record<string, number>
}

interface PaymentCounts extends DatabaseWork {
  payments: number
}

/**
 * Makes payments until a time has passed, waits until all of their work is done, and returns what each of them took.
 * Polls of idle services count too.
 */
export async function countPayments(
  run: PaymentsRun,
  system: PaymentSystem,
  load: PaymentLoad,
): Promise<PaymentCounts> {
  let payments = 0
  const all = await countDatabaseWork(run, async () => {
    payments = (await makePayments(system, load, run.signal)).payMs.length
    await untilSteady(run.receiver.received)
  })
  return { payments, ...divide(all, payments) }
}

/** Counts what all services do during `work`. Logging statements takes time, so nothing else can be measured meanwhile. */
export async function countDatabaseWork({ bench }: PaymentsRun, work: () => Promise<unknown>): Promise<DatabaseWork> {
  const before = await readSpent(bench.pool, {})
  const statements = await countStatements(
    { pool: bench.pool, logFile: `${bench.dir}/logs/postgres.log` },
    async () => {
      await work()
      await sleep(statisticsDelayMs)
    },
  )
  return { commits: (await readSpent(bench.pool, {})).commits - before.commits, statements }
}

/** Divides work among a number of payments or seconds. */
export const divide = ({ commits, statements }: DatabaseWork, by: number): DatabaseWork => ({
  commits: commits / by,
  statements: Object.fromEntries(Object.entries(statements).map(([name, count]) => [name, count / by])),
})

/** Returns the sum of the statements of all applications. */
export const allStatements = ({ statements }: DatabaseWork): number =>
  Object.values(statements).reduce((sum, count) => sum + count, 0)
