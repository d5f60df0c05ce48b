import type { Database } from '@cobro/database'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import { deliveryTransitions } from './delivery-states.ts'

/**
 * Requeues a delivery, due in a minute, that cannot be sent for a reason of our own, such as a
 * missing encryption key. Nothing was sent, so the attempt does not count.
 */
export async function requeueDelivery({ db }: { db: Database }, delivery: ClaimedDelivery): Promise<void> {
  const requeue = requeueWhere('delivery_id = ? and attempt = ?', '1 minute')
  await db.execute(requeue, [delivery.delivery_id, delivery.attempt])
}

/**
 * Requeues all deliveries of an unacknowledged claim, due at once, and returns their endpoints.
 * The claim may have been committed, and until their leases expire its unsent deliveries would count as in flight.
 */
export async function requeueClaim({ db }: { db: Database }, id: string): Promise<string[]> {
  const rows = await db.execute<{ webhook_id: string }>(requeueWhere('claim = ?', '0'), [id])
  return rows.map(row => row.webhook_id)
}

const requeueWhere = (condition: string, delay: string) => `
  with job as (
    update webhooks.jobs set leased = false, attempt = attempt - 1, due_at = now() + interval '${delay}'
    where ${condition} and leased
    returning delivery_id, webhook_id, attempt, due_at
  )
  update webhooks.deliveries d
  set status = '${deliveryTransitions.delivering.requeued.to}', attempt_count = job.attempt, next_attempt_at = job.due_at
  from job where d.id = job.delivery_id
  returning job.webhook_id`
