import { ApiError, type BodyOf, type Caller, type deliveryOperations } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { EndpointEntity } from '../webhooks/endpoint-entity.ts'
import { SentEventEntity } from './delivery-entity.ts'
import type { DeliveryWithHistory } from './read-deliveries.ts'
import { requestDelivery, type Waker } from './request-delivery.ts'

type Input = BodyOf<typeof deliveryOperations.create>

/** Sends an event that once happened to an endpoint, subscribed to it or not: in the bytes in which it was kept then. */
export async function sendPastEvent(
  { db, sender }: { db: Database; sender: Waker },
  caller: Caller,
  { webhook_id, event_id }: Input,
): Promise<DeliveryWithHistory> {
  const delivery = await db.write(async (tx, emit) => {
    const webhook = await getRow(tx, EndpointEntity, caller, webhook_id)
    // Locked, because events without deliveries are deleted when they are old enough.
    const event = await getRow(tx, SentEventEntity, caller, event_id, { lock: true })
    if (webhook.merchant_id !== event.merchant_id) throw new ApiError('forbidden')
    return requestDelivery(tx, emit, { webhook, event, kind: 'manual' })
  })
  db.afterCommit(() => sender.wake([webhook_id]))
  return delivery
}
