import type { Emit, Tx } from '@cobro/database'

interface CancelledRow {
  id: string
  webhook_id: string
  event_id: string
  merchant_id: string
  correlation_id: string | null
  /** How many were cancelled in all. */
  total: number
}

/** A backlog of more is told of by its number alone: a transaction is no place for a hundred thousand messages. */
const maxToldOneByOne = 1_000

/**
 * Cancels what waits to be sent to an endpoint, and tells how many deliveries that were. What is being sent is left to end by
 * itself.
 */
export async function cancelWaiting(tx: Tx, emit: Emit, webhookId: string): Promise<number> {
  const rows = await tx.execute<CancelledRow[]>(cancel, [webhookId, maxToldOneByOne])
  const total = rows[0]?.total ?? 0
  if (total <= maxToldOneByOne) for (const row of rows) emit('webhook.cancelled', row)
  return total
}

const cancel = `
  with waiting as (delete from webhooks.jobs where webhook_id = ? and not leased returning delivery_id),
  cancelled as (
    update webhooks.deliveries d set status = 'cancelled', next_attempt_at = null
    from waiting where d.id = waiting.delivery_id
    returning d.id, d.webhook_id, d.event_id, d.merchant_id, d.correlation_id
  )
  select cancelled.*, (select count(*)::integer from cancelled) as total from cancelled limit ?`
