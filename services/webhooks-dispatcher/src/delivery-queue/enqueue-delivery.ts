import type { Tx } from '@cobro/database'
import { currentCall } from '@cobro/runtime'

interface Enqueued {
  id: string
  webhook_id: string
  /** How many attempts it has had. */
  attempt_count: number
  /** Whether it gets a single attempt that concludes, whatever that comes to. */
  one_shot: boolean
}

/** Puts a delivery that has no job into the queue, due at once, on behalf of the call in hand. */
export async function enqueueDelivery(tx: Tx, { id, webhook_id, attempt_count, one_shot }: Enqueued): Promise<void> {
  const { request_id } = currentCall()
  const after = one_shot ? attempt_count : null
  await tx.execute(enqueue, [id, webhook_id, attempt_count, after, request_id, webhook_id])
}

const enqueue = `
  with job as (
    insert into webhooks.jobs (delivery_id, webhook_id, due_at, attempt, one_shot_after, request_id)
    values (?, ?, now(), ?::integer, ?::integer, ?)
  )
  update webhooks.lanes set next_due = now() where webhook_id = ? and (next_due is null or next_due > now())`
