import type { Caller, Id } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { cancelQueuedDeliveries } from '../delivery-queue/cancel-queued-deliveries.ts'
import { interruptClaims } from '../delivery-queue/refresh-endpoint-queues.ts'
import { EndpointEntity } from './endpoint-entity.ts'

/**
 * Deletes an endpoint with its secret. Its deliveries stay readable. Its queue stays for a while:
 * an event that is being fanned out may still add a delivery, which the sender then cancels.
 */
export async function deleteWebhook({ db }: { db: Database }, caller: Caller, id: Id<'whk'>): Promise<void> {
  await db.write(async (tx, emit) => {
    const row = await getRow(tx, EndpointEntity, caller, id, { lock: true })
    await tx.nativeDelete(EndpointEntity, { id })
    const { total } = await cancelQueuedDeliveries(tx, emit, id)
    emit('webhook_endpoint.deleted', { id, cancelled_deliveries: total }, { merchant_id: row.merchant_id })
    await interruptClaims(tx, id)
  })
}
