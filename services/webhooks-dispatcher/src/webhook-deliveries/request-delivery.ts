import { newId } from '@cobro/contracts'
import { type Emit, newRow, type Tx } from '@cobro/database'
import type { Sender } from '../sending/start-sender.ts'
import type { EndpointRow } from '../webhooks/endpoint-entity.ts'
import { refuseDisabled } from '../webhooks/refuse-disabled.ts'
import { DeliveryEntity, type SentEventRow } from './delivery-entity.ts'
import { enqueueDelivery } from './enqueue-delivery.ts'
import { type DeliveryWithHistory, withHistory } from './read-deliveries.ts'

/** What is told of deliveries that are due at once. */
export type Waker = Pick<Sender, 'wake'>

interface Request {
  webhook: EndpointRow
  event: SentEventRow
  kind: 'manual' | 'test'
}

/** Makes a delivery that somebody asked for, due at once. A test is tried once; a past event as often as a fresh one. */
export async function requestDelivery(
  tx: Tx,
  emit: Emit,
  { webhook, event, kind }: Request,
): Promise<DeliveryWithHistory> {
  refuseDisabled(webhook)
  const { id: webhook_id, merchant_id, url } = webhook
  const now = new Date()
  const row = newRow(tx, DeliveryEntity, {
    id: newId('whd'),
    ...{ webhook_id, merchant_id, url, kind },
    ...{ event_id: event.id, event: event.event, correlation_id: event.correlation_id },
    ...{ status: 'pending', attempt_count: 0, next_attempt_at: now, created_at: now },
  })
  await tx.flush()
  const attempt_count = 0
  await enqueueDelivery(tx, { id: row.id, webhook_id, attempt_count, one_shot: kind === 'test' })
  emit('webhook.requested', row)
  return withHistory(tx, row)
}
