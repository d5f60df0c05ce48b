import type { Database } from '@cobro/database'
import { observeGauge } from '@cobro/runtime'
import { dueForSeconds, lastFinished } from './daily-schedule.ts'

/** Has measured whether days are run: for how long one has been due, and how many books failed. Each replica says the same. */
export function registerDailyRunMetrics(db: Database): void {
  const age = { description: 'How long the run of the oldest day has been due that is not finished', unit: 's' }
  observeGauge('cobro.daily_run.age', age, async () => [{ value: dueForSeconds(await lastFinished(db), new Date()) }])
  const failures = { description: 'Books that the run of a day has failed for' }
  observeGauge('cobro.daily_run.failures', failures, async () => {
    const [row] = await db.read(em => em.execute<{ value: number }[]>(failedBooks))
    return [{ value: row?.value ?? 0 }]
  })
}

const failedBooks = 'select count(*)::integer as value from transactions.daily_run_failures'
