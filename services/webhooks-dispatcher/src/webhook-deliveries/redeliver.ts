import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { assignRow, getRow } from '@cobro/database'
import { deliveryTransitions, hasEnded } from '../delivery-queue/delivery-states.ts'
import { enqueueDelivery } from '../delivery-queue/enqueue-delivery.ts'
import { EndpointEntity } from '../webhooks/endpoint-entity.ts'
import { DeliveryEntity } from './delivery-entity.ts'
import { withHistory } from './list-deliveries.ts'
import { assertEndpointActive, type DeliveryDeps } from './request-delivery.ts'

/** Every attempt is stored with its response. */
export const maxAttempts = 100

/** Sends an ended delivery once more, to the endpoint's current URL. Keeps its earlier attempts. */
export async function redeliver({ db, sender }: DeliveryDeps, caller: Caller, id: Id<'whd'>) {
  const delivery = await db.write(async (tx, emit) => {
    const row = await getRow(tx, DeliveryEntity, caller, id, { lock: true })
    if (!hasEnded(row.status)) throw new ApiError('conflict', 'this delivery has not ended yet')
    if (row.attempt_count >= maxAttempts) {
      throw new ApiError('conflict', `this delivery has had its ${maxAttempts} attempts: send its event in a new one`)
    }
    const endpoint = await tx.findOne(EndpointEntity, { id: row.webhook_id })
    if (!endpoint) throw new ApiError('conflict', 'the webhook of this delivery was deleted')
    assertEndpointActive(endpoint)
    const { redelivered } = deliveryTransitions[row.status]
    assignRow(row, { status: redelivered.to, next_attempt_at: new Date(), url: endpoint.url })
    await tx.flush()
    await enqueueDelivery(tx, { ...row, one_shot: true })
    for (const name of redelivered.emits) emit(name, row)
    return withHistory(tx, row)
  })
  db.afterCommit(() => sender.wake([delivery.webhook_id]))
  return delivery
}
