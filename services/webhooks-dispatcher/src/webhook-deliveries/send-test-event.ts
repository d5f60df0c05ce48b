import { type Caller, webhooks } from '@cobro/contracts'
import { type Database, getRow, newRow } from '@cobro/database'
import { captureTrace } from '@cobro/runtime'
import { z } from 'zod'
import { SentEventEntity } from '../webhook-deliveries/delivery-entity.ts'
import { envelopeOf } from '../webhook-deliveries/envelope.ts'
import type { DeliveryWithHistory } from '../webhook-deliveries/read-deliveries.ts'
import { requestDelivery, type Waker } from '../webhook-deliveries/request-delivery.ts'
import { EndpointEntity } from './endpoint-entity.ts'

/**
 * Sends an event made for the purpose to one endpoint, once, whatever it subscribes to. Its data is the endpoint as it is
 * shown. It is published as well, under the same id, so that the audit log has it like every other event.
 */
export async function testWebhook(
  { db, sender }: { db: Database; sender: Waker },
  caller: Caller,
  id: string,
): Promise<DeliveryWithHistory> {
  const delivery = await db.write(async (tx, emit) => {
    const webhook = await getRow(tx, EndpointEntity, caller, id)
    const message = emit('webhook.test', z.encode(webhooks.row, webhook))
    const event = newRow(tx, SentEventEntity, {
      id: message.id,
      merchant_id: webhook.merchant_id,
      event: message.name,
      body: Buffer.from(envelopeOf(message)),
      trace: captureTrace(),
      created_at: new Date(message.occurred_at),
    })
    // Before the delivery that refers to it.
    await tx.flush()
    return requestDelivery(tx, emit, { webhook, event, kind: 'test' })
  })
  db.afterCommit(() => sender.wake([id]))
  return delivery
}
