import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow, type Tx } from '@cobro/database'
import { deliveryTransitions, hasEnded } from '../delivery-queue/delivery-states.ts'
import { enqueueDelivery } from '../delivery-queue/enqueue-delivery.ts'
import { assertEndpointActive } from '../webhooks/assert-endpoint-active.ts'
import { EndpointEntity, type EndpointRow } from '../webhooks/endpoint-entity.ts'
import { DeliveryEntity } from './delivery-entity.ts'
import { type DeliveryWithHistory, withHistory } from './list-deliveries.ts'
import type { EndpointWaker } from './request-delivery.ts'

/** Every attempt is stored with its response. */
const maxAttempts = 100

/** Sends a delivery that has ended once more, to the current URL of its endpoint. Its earlier attempts are kept. */
export async function redeliver(
  { db, sender }: { db: Database; sender: EndpointWaker },
  caller: Caller,
  id: string,
): Promise<DeliveryWithHistory> {
  const delivery = await db.write(async (tx, emit) => {
    const row = await getRow(tx, DeliveryEntity, caller, id, { lock: true })
    if (!hasEnded(row.status)) throw new ApiError('conflict', 'this delivery has not ended yet')
    if (row.attempt_count >= maxAttempts) {
      throw new ApiError('conflict', `this delivery has had its ${maxAttempts} attempts: send its event in a new one`)
    }
    const { redelivered } = deliveryTransitions[row.status]
    const { url } = await activeEndpoint(tx, row.webhook_id)
    tx.assign(row, { status: redelivered.to, next_attempt_at: new Date(), url })
    await tx.flush()
    await enqueueDelivery(tx, { ...row, one_shot: true })
    for (const name of redelivered.emits) emit(name, row)
    return withHistory(tx, row)
  })
  db.afterCommit(() => sender.wake([delivery.webhook_id]))
  return delivery
}

async function activeEndpoint(tx: Tx, id: string): Promise<EndpointRow> {
  const endpoint = await tx.findOne(EndpointEntity, { id })
  if (!endpoint) throw new ApiError('conflict', 'the webhook of this delivery was deleted')
  assertEndpointActive(endpoint)
  return endpoint
}
