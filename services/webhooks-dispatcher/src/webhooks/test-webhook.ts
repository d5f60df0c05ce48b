import { type Caller, newId, webhooks } from '@cobro/contracts'
import { type Database, getRow, newRow } from '@cobro/database'
import { captureTrace } from '@cobro/runtime'
import { z } from 'zod'
import { SentEventEntity } from '../webhook-deliveries/delivery-entity.ts'
import { envelopeOf } from '../webhook-deliveries/envelope.ts'
import type { DeliveryWithHistory } from '../webhook-deliveries/read-deliveries.ts'
import { requestDelivery, type Waker } from '../webhook-deliveries/request-delivery.ts'
import { EndpointEntity } from './endpoint-entity.ts'

const name = 'webhook.test'

/** Sends an event made for the purpose to one endpoint, once, whatever it subscribes to. Its data is the endpoint as it is shown. */
export async function testWebhook(
  { db, sender }: { db: Database; sender: Waker },
  caller: Caller,
  id: string,
): Promise<DeliveryWithHistory> {
  const delivery = await db.write(async (tx, emit) => {
    const webhook = await getRow(tx, EndpointEntity, caller, id)
    const { merchant_id } = webhook
    const now = new Date()
    const eventId = newId('evt')
    const data = z.encode(webhooks.row, webhook as never)
    const event = newRow(tx, SentEventEntity, {
      id: eventId,
      merchant_id,
      event: name,
      body: envelopeOf({ id: eventId, name, merchant_id, occurred_at: now.toISOString(), data }),
      trace: captureTrace(),
      created_at: now,
    })
    // Before the delivery that refers to it.
    await tx.flush()
    return requestDelivery(tx, emit, { webhook, event, kind: 'test' })
  })
  sender.wake([id])
  return delivery
}
