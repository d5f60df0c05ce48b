import type { Database } from '@cobro/database'
import { meter, observeGauge } from '@cobro/runtime'

/** How long attempts took. */
export const attemptDuration = meter.createHistogram('cobro.webhook.duration', {
  description: 'How long an attempt took, by what came of it',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
})

/** Has what waits to be sent measured: how long something has been due at the endpoint that waits longest. Each replica says the same. */
export function registerDeliveryMetrics(db: Database): void {
  const age = { description: 'How long a delivery has been due, at the endpoint that waits longest', unit: 's' }
  observeGauge('cobro.webhook.age', age, async () => {
    const [row] = await db.read(em => em.execute<{ value: number | null }[]>(longestDue))
    return [{ value: row?.value ?? 0 }]
  })
}

const longestDue = `
  select extract(epoch from now() - min(next_due))::float8 as value from webhooks.lanes where next_due <= now()`
