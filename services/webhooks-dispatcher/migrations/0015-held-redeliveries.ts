import { migrationInSteps } from '@cobro/database'

/** The index of redeliveries that are held until their endpoint has nothing else to send. */
export const heldRedeliveries = migrationInSteps('0015-held-redeliveries', [
  'drop index concurrently if exists jobs_held',
  `create index concurrently jobs_held on jobs (webhook_id, delivery_id) where due_at = 'infinity'`,
])
