import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { deliveryTransitions, hasEnded } from '../delivery-queue/delivery-states.ts'
import { DeliveryEntity } from './delivery-entity.ts'
import { withHistory } from './list-deliveries.ts'

const { cancelled } = deliveryTransitions.pending

/** Cancels a delivery that waits for its next attempt, but not one that is being sent. */
export async function cancelDelivery({ db }: { db: Database }, caller: Caller, id: Id<'whd'>) {
  await db.read(em => getRow(em, DeliveryEntity, caller, id))
  return db.write(async (tx, emit) => {
    // Locks the job before the delivery, like claiming and recording, so that they cannot deadlock.
    const rows = await tx.execute<unknown[]>(cancel, [id])
    const row = await getRow(tx, DeliveryEntity, caller, id)
    if (rows.length === 0) {
      throw new ApiError('conflict', `this delivery ${hasEnded(row.status) ? `is ${row.status}` : 'is being sent'}`)
    }
    for (const name of cancelled.emits) emit(name, row)
    return withHistory(tx, row)
  })
}

const cancel = `
  with job as (delete from webhooks.jobs where delivery_id = ? and not leased returning delivery_id)
  update webhooks.deliveries d set status = '${cancelled.to}', next_attempt_at = null
  from job where d.id = job.delivery_id
  returning d.id`
