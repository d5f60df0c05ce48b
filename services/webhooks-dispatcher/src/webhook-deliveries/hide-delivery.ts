import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { deliveryTransitions, hasEnded } from '../delivery-queue/delivery-states.ts'
import { DeliveryEntity } from './delivery-entity.ts'

/** Hides an ended delivery. Its row stays, so that the event is not sent to the endpoint again. */
export async function hideDelivery({ db }: { db: Database }, caller: Caller, id: Id<'whd'>): Promise<void> {
  await db.write(async (tx, emit) => {
    const row = await getRow(tx, DeliveryEntity, caller, id, { lock: true })
    if (!hasEnded(row.status)) throw new ApiError('conflict', 'this delivery has not ended: cancel it first')
    row.deleted_at = new Date()
    for (const name of deliveryTransitions[row.status].hidden.emits) emit(name, row)
  })
}
