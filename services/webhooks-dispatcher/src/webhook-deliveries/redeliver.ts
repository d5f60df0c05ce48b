import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow, type Tx } from '@cobro/database'
import { EndpointEntity, type EndpointRow } from '../webhooks/endpoint-entity.ts'
import { refuseDisabled } from '../webhooks/refuse-disabled.ts'
import { DeliveryEntity } from './delivery-entity.ts'
import { isFinal } from './delivery-states.ts'
import { enqueueDelivery } from './enqueue-delivery.ts'
import { type DeliveryWithHistory, withHistory } from './read-deliveries.ts'
import type { Waker } from './request-delivery.ts'

/** Each attempt is kept with what was answered to it. */
const maxAttempts = 100

/** Sends a delivery that has come to its end once more, to where its endpoint is now. Its earlier attempts stay on record. */
export async function redeliver(
  { db, sender }: { db: Database; sender: Waker },
  caller: Caller,
  id: string,
): Promise<DeliveryWithHistory> {
  const delivery = await db.write(async (tx, emit) => {
    const row = await getRow(tx, DeliveryEntity, caller, id, { lock: true })
    if (!isFinal(row.status)) throw new ApiError('conflict', 'this delivery has not come to its end yet')
    if (row.attempt_count >= maxAttempts) {
      throw new ApiError('conflict', `this delivery has had its ${maxAttempts} attempts: send its event in a new one`)
    }
    const { url } = await activeEndpoint(tx, row.webhook_id)
    tx.assign(row, { status: 'pending', next_attempt_at: new Date(), url })
    await tx.flush()
    await enqueueDelivery(tx, { ...row, one_shot: true })
    emit('webhook.redelivered', row)
    return withHistory(tx, row)
  })
  db.afterCommit(() => sender.wake([delivery.webhook_id]))
  return delivery
}

async function activeEndpoint(tx: Tx, id: string): Promise<EndpointRow> {
  const endpoint = await tx.findOne(EndpointEntity, { id })
  if (!endpoint) throw new ApiError('conflict', 'the webhook of this delivery was deleted')
  refuseDisabled(endpoint)
  return endpoint
}
