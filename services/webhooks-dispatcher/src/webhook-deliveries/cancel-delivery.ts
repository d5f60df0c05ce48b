import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { DeliveryEntity } from './delivery-entity.ts'
import { isFinal } from './delivery-states.ts'
import { type DeliveryWithHistory, withHistory } from './read-deliveries.ts'

/** Ends the attempts of a delivery that waits for its next. One that is being sent at this moment cannot be called back. */
export async function cancelDelivery(
  { db }: { db: Database },
  caller: Caller,
  id: string,
): Promise<DeliveryWithHistory> {
  await db.read(em => getRow(em, DeliveryEntity, caller, id))
  return db.write(async (tx, emit) => {
    // The job comes first, as for whoever claims or concludes it, so that nobody waits in a circle.
    const cancelled = await tx.execute<unknown[]>(cancel, [id])
    const row = await getRow(tx, DeliveryEntity, caller, id)
    if (cancelled.length === 0) {
      throw new ApiError('conflict', `this delivery ${isFinal(row.status) ? `is ${row.status}` : 'is being sent'}`)
    }
    emit('webhook.cancelled', row)
    return withHistory(tx, row)
  })
}

const cancel = `
  with job as (delete from webhooks.jobs where delivery_id = ? and not leased returning delivery_id)
  update webhooks.deliveries d set status = 'cancelled', next_attempt_at = null
  from job where d.id = job.delivery_id
  returning d.id`
