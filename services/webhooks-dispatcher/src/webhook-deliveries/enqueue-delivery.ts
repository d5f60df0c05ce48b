import type { Tx } from '@cobro/database'

interface Enqueued {
  id: string
  webhook_id: string
  /** How many attempts it has had. */
  attempt_count: number
  /** Whether it gets a single attempt that concludes, whatever that comes to. */
  one_shot: boolean
}

/** Puts a delivery that has no job into the queue, due at once. */
export async function enqueueDelivery(tx: Tx, { id, webhook_id, attempt_count, one_shot }: Enqueued): Promise<void> {
  await tx.execute(enqueue, [id, webhook_id, attempt_count, one_shot ? attempt_count : null, webhook_id])
}

const enqueue = `
  with job as (
    insert into webhooks.jobs (delivery_id, webhook_id, due_at, attempt, one_shot_after)
    values (?, ?, now(), ?::integer, ?::integer)
  )
  update webhooks.lanes set next_due = now() where webhook_id = ? and (next_due is null or next_due > now())`
