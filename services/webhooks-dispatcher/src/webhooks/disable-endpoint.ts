import type { Emit, Tx } from '@cobro/database'
import { cancelWaiting } from './cancel-waiting.ts'
import type { DisabledReason } from './endpoint-entity.ts'

/** Where a request went, and why what it came to disables its endpoint. */
interface Because {
  reason: DisabledReason
  /** When the request was sent. */
  at: Date
}

/**
 * Disables an endpoint because of what it answered, unless it is disabled or gone already. An endpoint that was changed since
 * the request was sent is left alone: the answer says nothing of its new address, nor of why it was made active again.
 */
export async function disableEndpoint(
  tx: Tx,
  emit: Emit,
  { webhook_id, url }: { webhook_id: string; url: string },
  { reason, at }: Because,
): Promise<void> {
  const rows = await tx.execute<{ merchant_id: string }[]>(
    `update webhooks.endpoints set status = 'disabled', disabled_reason = ?, updated_at = now()
     where id = ? and status = 'active' and url = ? and updated_at <= ? returning merchant_id`,
    [reason, webhook_id, url, at],
  )
  const [endpoint] = rows
  if (!endpoint) return
  const cancelled_deliveries = await cancelWaiting(tx, emit, webhook_id)
  emit('webhook_endpoint.disabled', { id: webhook_id, disabled_reason: reason, cancelled_deliveries }, endpoint)
}
