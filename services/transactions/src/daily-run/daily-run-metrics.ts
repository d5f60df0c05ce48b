import { type Database, observeQuery } from '@cobro/database'
import { observeGauge } from '@cobro/runtime'
import { overdueSeconds } from './daily-schedule.ts'
import { lastFinishedDay } from './run-due-days.ts'

/** Registers the daily run's delay and failed merchant ledgers. Every replica reports the same. */
export function registerDailyRunMetrics(db: Database): void {
  const overdue = { description: 'Time since the oldest unfinished daily run became due', unit: 's' }
  observeGauge('cobro_daily_run_overdue_seconds', overdue, async () => [
    { value: overdueSeconds(await lastFinishedDay(db), new Date()) },
  ])
  const failed = { description: 'Merchant ledgers that a daily run failed for' }
  observeQuery(db, 'cobro_daily_run_failed_books', failed, failedRuns)
}

const failedRuns = 'select count(*)::integer as value from transactions.daily_run_failures'
