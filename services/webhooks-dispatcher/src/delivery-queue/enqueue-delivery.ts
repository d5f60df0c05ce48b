import type { Tx } from '@cobro/database'
import { currentCall } from '@cobro/runtime'

interface NewlyQueued {
  id: string
  webhook_id: string
  attempt_count: number
  /** Whether to make a single attempt, whatever its result. */
  one_shot: boolean
}

/** Queues a delivery, due at once, for the current request. It must not be queued already. */
export async function enqueueDelivery(tx: Tx, { id, webhook_id, attempt_count, one_shot }: NewlyQueued): Promise<void> {
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
