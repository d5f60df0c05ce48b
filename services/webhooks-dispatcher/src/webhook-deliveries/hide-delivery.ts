import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { DeliveryEntity } from './delivery-entity.ts'
import { isFinal } from './delivery-states.ts'

/** Hides a delivery that has come to its end. Its row stays: it keeps the event from being sent to the endpoint again. */
export async function hideDelivery({ db }: { db: Database }, caller: Caller, id: string): Promise<void> {
  await db.write(async (tx, emit) => {
    const row = await getRow(tx, DeliveryEntity, caller, id, { lock: true })
    if (!isFinal(row.status)) throw new ApiError('conflict', 'this delivery has not come to its end: cancel it first')
    row.deleted_at = new Date()
    emit('webhook.deleted', row)
  })
}
