import { type Database, observeQuery } from '@cobro/database'
import { sqlStatuses, unresolvedStatuses } from './payment-attempt-states.ts'

/** Registers the age of the oldest running attempt. One with an issued voucher is not running. */
export function registerPaymentAttemptMetrics(db: Database): void {
  const age = { description: 'Age of the oldest payment attempt whose outcome is unknown', unit: 's' }
  observeQuery(db, 'cobro_payment_attempt_oldest_age_seconds', age, oldestRunning(db.schema))
}

/** Reads the partial index of running attempts. */
const oldestRunning = (schema: string) => `
  select extract(epoch from now() - min(created_at))::float8 as value
  from ${schema}.payment_attempts where status in (${sqlStatuses(unresolvedStatuses)})`
