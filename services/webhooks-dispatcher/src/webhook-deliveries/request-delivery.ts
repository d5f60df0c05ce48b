import { ApiError, newId } from '@cobro/contracts'
import { type Database, type Emit, newRow, type Tx } from '@cobro/database'
import { enqueueDelivery } from '../delivery-queue/enqueue-delivery.ts'
import type { EndpointRow } from '../webhooks/endpoint-entity.ts'
import { DeliveryEntity, type DeliveryRow, type SentEventRow } from './delivery-entity.ts'
import { withHistory } from './list-deliveries.ts'

/** Wakes the sender for endpoints with due deliveries. Otherwise its next poll finds them. */
export interface EndpointWaker {
  wake(webhookIds: readonly string[]): void
}

export interface DeliveryDeps {
  db: Database
  sender: EndpointWaker
}

interface Request {
  webhook: EndpointRow
  event: SentEventRow
  kind: Exclude<DeliveryRow['kind'], 'auto'>
}

/** Creates a requested delivery, due at once. A test gets one attempt, a past event all retries. */
export async function requestDelivery(tx: Tx, emit: Emit, { webhook, event, kind }: Request) {
  assertEndpointActive(webhook)
  const { id: webhook_id, merchant_id, url } = webhook
  const now = new Date()
  const row = newRow(tx, DeliveryEntity, {
    id: newId('whd'),
    ...{ webhook_id, merchant_id, url, kind },
    ...{ event_id: event.id, event: event.event, correlation_id: event.correlation_id },
    ...{ status: 'pending', attempt_count: 0, next_attempt_at: now, created_at: now },
  })
  await tx.flush()
  await enqueueDelivery(tx, { id: row.id, webhook_id, attempt_count: 0, one_shot: kind === 'test' })
  emit('webhook.requested', row)
  return withHistory(tx, row)
}

/** Rejects a disabled endpoint. If it is disabled later, the delivery is cancelled when claimed. */
export function assertEndpointActive({ status }: EndpointRow): void {
  if (status === 'disabled') throw new ApiError('conflict', 'this webhook is disabled')
}
