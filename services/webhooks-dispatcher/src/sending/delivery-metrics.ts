import { type Database, observeQuery } from '@cobro/database'
import { meter } from '@cobro/runtime'

export const attemptDuration = meter.createHistogram('cobro_webhook_attempt_duration_seconds', {
  description: 'Duration of an attempt to deliver a webhook, by outcome',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
})

/** Registers how long the most overdue webhook delivery has been due. */
export function registerDeliveryMetrics(db: Database): void {
  const age = { description: 'Time since the most overdue webhook delivery became due', unit: 's' }
  observeQuery(db, 'cobro_webhook_oldest_due_age_seconds', age, longestDue)
}

/** A queue's own due time is when it has its next turn, so that of its first delivery counts. */
export const longestDue = `
  select extract(epoch from now() - min(job.due_at))::float8 as value
  from webhooks.lanes l
  cross join lateral (select due_at from webhooks.jobs j where j.webhook_id = l.webhook_id order by due_at limit 1) job
  where l.next_due is not null and job.due_at <= now()`
