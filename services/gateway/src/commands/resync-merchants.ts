import { type Database, openDatabase } from '@cobro/database'
import { type OnStop, reveal } from '@cobro/runtime'
import type { ResyncConfig } from '../config.ts'
import { entities, schema } from '../gateway-schema.ts'
import { MerchantEntity } from '../merchants/gateway-merchant-entity.ts'

const pageSize = 500

/** The resync-merchants command: publishes every merchant's state again and prints the number of merchants as JSON. */
export async function runResyncMerchants(config: ResyncConfig, onStop: OnStop): Promise<void> {
  const db = openDatabase({ url: reveal(config.DATABASE_URL), schema, entities })
  onStop(db.close)
  process.stdout.write(`${JSON.stringify({ merchants: await resyncMerchants(db) })}\n`)
}

/**
 * Emits `merchant.resynced` for every merchant, including deleted ones. Consumers compare versions and ignore what is
 * not newer, so this may run at any time. Returns the number of merchants.
 */
async function resyncMerchants(db: Database): Promise<number> {
  let emitted = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: { id: string }[] = await db.write(async (tx, emit) => {
      const rows = await tx.find(MerchantEntity, { id: { $gt: after } }, { orderBy: { id: 'asc' }, limit: pageSize })
      for (const row of rows) emit('merchant.resynced', row, { merchant_id: row.id })
      return rows
    })
    emitted += page.length
    after = page.at(-1)?.id
  }
  return emitted
}
