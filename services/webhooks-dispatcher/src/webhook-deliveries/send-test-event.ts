import { type Caller, type Id, webhooks } from '@cobro/contracts'
import { getRow, newRow } from '@cobro/database'
import { captureTrace } from '@cobro/runtime'
import { z } from 'zod'
import { EndpointEntity } from '../webhooks/endpoint-entity.ts'
import { SentEventEntity } from './delivery-entity.ts'
import { type DeliveryDeps, requestDelivery } from './request-delivery.ts'
import { webhookPayload } from './webhook-payload.ts'

/**
 * Sends a test event to an endpoint once, whatever it subscribes to. Its data is the endpoint.
 * Also emits the event under the same id, so that the audit log records it.
 */
export async function sendTestEvent({ db, sender }: DeliveryDeps, caller: Caller, id: Id<'whk'>) {
  const delivery = await db.write(async (tx, emit) => {
    const webhook = await getRow(tx, EndpointEntity, caller, id)
    const message = emit('webhook.test', z.encode(webhooks.row, webhook))
    const event = newRow(tx, SentEventEntity, {
      id: message.id,
      merchant_id: webhook.merchant_id,
      event: message.name,
      sequence: null,
      body: Buffer.from(webhookPayload(message)),
      trace: captureTrace(),
      created_at: new Date(message.occurred_at),
    })
    // The delivery references the event.
    await tx.flush()
    return requestDelivery(tx, emit, { webhook, event, kind: 'test' })
  })
  db.afterCommit(() => sender.wake([id]))
  return delivery
}
