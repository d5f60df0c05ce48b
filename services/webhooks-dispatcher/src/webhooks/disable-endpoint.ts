import type { Emit, Tx } from '@cobro/database'
import type { DisabledReason } from './endpoint-entity.ts'

/** Disables an endpoint because of what it answered, unless it is disabled or gone already. */
export async function disableEndpoint(tx: Tx, emit: Emit, id: string, reason: DisabledReason): Promise<void> {
  const rows = await tx.execute<{ merchant_id: string }[]>(
    `update webhooks.endpoints set status = 'disabled', disabled_reason = ?, updated_at = now()
     where id = ? and status = 'active' returning merchant_id`,
    [reason, id],
  )
  const [endpoint] = rows
  if (!endpoint) return
  await cancelWaiting(tx, id)
  emit('webhook_endpoint.disabled', { id }, endpoint)
}

/** Cancels what waits to be sent to an endpoint. What is being sent is left to end by itself. */
export async function cancelWaiting(tx: Tx, webhookId: string): Promise<void> {
  await tx.execute(
    `with waiting as (delete from webhooks.jobs where webhook_id = ? and not leased returning delivery_id)
     update webhooks.deliveries d set status = 'cancelled', next_attempt_at = null
     from waiting where d.id = waiting.delivery_id`,
    [webhookId],
  )
}
