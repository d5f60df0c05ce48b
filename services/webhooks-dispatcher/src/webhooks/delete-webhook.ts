import type { Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { cancelWaiting } from './disable-endpoint.ts'
import { EndpointEntity } from './endpoint-entity.ts'

/**
 * Deletes an endpoint with its secret; its deliveries stay readable. Its lane stays too: an event that is being fanned out
 * at this moment may still leave a job there, which is then found and cancelled.
 */
export async function deleteWebhook({ db }: { db: Database }, caller: Caller, id: string): Promise<void> {
  await db.write(async (tx, emit) => {
    const row = await getRow(tx, EndpointEntity, caller, id, { lock: true })
    emit('webhook_endpoint.deleted', row)
    tx.remove(row)
    await tx.flush()
    await cancelWaiting(tx, id)
  })
}
