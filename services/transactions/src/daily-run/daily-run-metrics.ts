import { type Database, observeQuery } from '@cobro/database'
import { observeGauge } from '@cobro/runtime'
import { dueForSeconds, lastFinished } from './daily-schedule.ts'

/** Registers how late the daily run is and how many books it failed for. Every replica reports the same. */
export function registerDailyRunMetrics(db: Database): void {
  const overdue = { description: 'Time since the oldest unfinished daily run became due', unit: 's' }
  observeGauge('cobro_daily_run_overdue_seconds', overdue, async () => [
    { value: dueForSeconds(await lastFinished(db), new Date()) },
  ])
  const failed = { description: 'Books that a daily run failed for' }
  observeQuery(db, 'cobro_daily_run_failed_books', failed, failedBooks)
}

const failedBooks = 'select count(*)::integer as value from transactions.daily_run_failures'
