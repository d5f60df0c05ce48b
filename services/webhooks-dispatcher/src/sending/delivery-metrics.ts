import type { Database } from '@cobro/database'
import { meter, observeGauge } from '@cobro/runtime'

export const attemptDuration = meter.createHistogram('cobro.webhook.duration', {
  description: 'Duration of webhook attempts, by outcome',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
})

/** Observes the age of the oldest due delivery. Every replica reports the same value. */
export function registerDeliveryMetrics(db: Database): void {
  const age = { description: 'How long the oldest due webhook delivery has been due', unit: 's' }
  observeGauge('cobro.webhook.age', age, async () => {
    const [row] = await db.read(em => em.execute<{ value: number | null }[]>(longestDue))
    return [{ value: row?.value ?? 0 }]
  })
}

const longestDue = `
  select extract(epoch from now() - min(next_due))::float8 as value from webhooks.lanes where next_due <= now()`
