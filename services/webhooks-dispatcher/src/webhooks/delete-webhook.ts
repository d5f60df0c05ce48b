import type { Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { cancelWaiting } from './cancel-waiting.ts'
import { EndpointEntity } from './endpoint-entity.ts'

/**
 * Deletes an endpoint with its secret; its deliveries stay readable. Its lane stays for a while too: an event that is being
 * fanned out at this moment may still leave a job there, which is then found and cancelled.
 */
export async function deleteWebhook({ db }: { db: Database }, caller: Caller, id: string): Promise<void> {
  await db.write(async (tx, emit) => {
    const row = await getRow(tx, EndpointEntity, caller, id, { lock: true })
    tx.remove(row)
    await tx.flush()
    const cancelled_deliveries = await cancelWaiting(tx, emit, id)
    emit('webhook_endpoint.deleted', { id, cancelled_deliveries }, { merchant_id: row.merchant_id })
    await tx.execute('update webhooks.lanes set served_at = clock_timestamp() where webhook_id = ?', [id])
  })
}
