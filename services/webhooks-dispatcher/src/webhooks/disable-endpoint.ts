import type { Id } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { cancelQueuedDeliveries } from '../delivery-queue/cancel-queued-deliveries.ts'
import { interruptClaims } from '../delivery-queue/refresh-endpoint-queues.ts'

/** The endpoint and URL that a request was sent to. */
interface SentTo {
  webhook_id: Id<'whk'>
  url: string
}

const maxExhaustedInARow = 20

/**
 * Counts an exhausted delivery against its endpoint, and disables the endpoint at the 20th in a
 * row. A delivery that was sent to an earlier URL of the endpoint does not count.
 */
export async function countExhausted(tx: Tx, emit: Emit, sentTo: SentTo, sentAt: Date): Promise<void> {
  const [endpoint] = await tx.execute<{ exhausted_in_a_row: number }[]>(
    `update webhooks.endpoints set exhausted_in_a_row = exhausted_in_a_row + 1
     where id = ? and url = ? returning exhausted_in_a_row`,
    [sentTo.webhook_id, sentTo.url],
  )
  const count = endpoint?.exhausted_in_a_row ?? 0
  if (count >= maxExhaustedInARow) await disableEndpoint(tx, emit, sentTo, { reason: 'deliveries_exhausted', sentAt })
}

/**
 * Disables an endpoint that answered 410 or exhausted too many deliveries. Leaves it alone if it
 * was changed after the request was sent: the answer does not apply to a new URL, nor to an endpoint that was enabled again.
 */
export async function disableEndpoint(
  tx: Tx,
  emit: Emit,
  { webhook_id, url }: SentTo,
  { reason, sentAt }: { reason: 'gone' | 'deliveries_exhausted'; sentAt: Date },
): Promise<void> {
  const [endpoint] = await tx.execute<{ merchant_id: Id<'mrc'> }[]>(
    `update webhooks.endpoints set status = 'disabled', disabled_reason = ?, updated_at = now()
     where id = ? and status = 'active' and url = ? and updated_at <= ? returning merchant_id`,
    [reason, webhook_id, url, sentAt],
  )
  if (!endpoint) return
  await interruptClaims(tx, webhook_id)
  const { total } = await cancelQueuedDeliveries(tx, emit, webhook_id)
  const data = { id: webhook_id, disabled_reason: reason, cancelled_deliveries: total }
  emit('webhook_endpoint.disabled', data, endpoint)
}
