import { ApiError, type BodyOf, type Caller, type deliveryOperations } from '@cobro/contracts'
import { getRow } from '@cobro/database'
import { EndpointEntity } from '../webhooks/endpoint-entity.ts'
import { SentEventEntity } from './delivery-entity.ts'
import { type DeliveryDeps, requestDelivery } from './request-delivery.ts'

type Input = BodyOf<typeof deliveryOperations.create>

/** Sends a past event, with the bytes stored then, to an endpoint, whether it subscribes or not. */
export async function sendPastEvent({ db, sender }: DeliveryDeps, caller: Caller, { webhook_id, event_id }: Input) {
  const delivery = await db.write(async (tx, emit) => {
    const webhook = await getRow(tx, EndpointEntity, caller, webhook_id)
    // Locks the event, because old events without deliveries are deleted.
    const event = await getRow(tx, SentEventEntity, caller, event_id, { lock: true })
    if (webhook.merchant_id !== event.merchant_id) throw new ApiError('forbidden')
    return requestDelivery(tx, emit, { webhook, event, kind: 'manual' })
  })
  db.afterCommit(() => sender.wake([webhook_id]))
  return delivery
}
