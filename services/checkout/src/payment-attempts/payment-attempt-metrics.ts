import type { Database } from '@cobro/database'
import { observeGauge } from '@cobro/runtime'

/**
 * Has what payers wait for measured: how long the attempt has run that nobody has known the outcome of for longest. Vouchers that
 * are out do not count. Each replica says the same.
 */
export function registerPaymentAttemptMetrics(db: Database): void {
  const age = { description: 'How long the oldest attempt has run whose outcome is unknown', unit: 's' }
  observeGauge('cobro.attempt.age', age, async () => {
    const [row] = await db.read(em => em.execute<{ value: number | null }[]>(oldestRunning(db.schema)))
    return [{ value: row?.value ?? 0 }]
  })
}

/** Read off the partial index of what runs. */
const oldestRunning = (schema: string) => `
  select extract(epoch from now() - min(created_at))::float8 as value
  from ${schema}.payment_attempts where status = 'running'`
