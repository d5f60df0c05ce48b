import type { Database, Tx } from '@cobro/database'

/**
 * Corrects the due times of endpoint queues. A queue may miss a delivery that was committed while
 * the queue was served, and does not record when leases expire.
 */
export async function refreshEndpointQueues(db: Database): Promise<void> {
  await db.execute(refresh)
}

/**
 * Makes claims and fan-outs that began before the commit leave an endpoint's queue to the next claim. After a change of the
 * endpoint, they would lease deliveries for what it was before.
 */
export async function interruptClaims(tx: Tx, webhookId: string): Promise<void> {
  await tx.execute('update webhooks.lanes set served_at = clock_timestamp() where webhook_id = ?', [webhookId])
}

const refresh = `
  with late as (
    select l.webhook_id, job.due_at from webhooks.lanes l
    cross join lateral (
      select due_at from webhooks.jobs j where j.webhook_id = l.webhook_id order by due_at limit 1
    ) job
    where l.next_due is null or l.next_due > greatest(job.due_at, now())
    for update of l skip locked
  )
  update webhooks.lanes l set next_due = greatest(late.due_at, now()) from late where l.webhook_id = late.webhook_id`
