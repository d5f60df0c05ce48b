import { lowestId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { MerchantEntity, type MerchantRow } from './gateway-merchant-entity.ts'

const pageSize = 500

/**
 * Emits `merchant.resynced` for every merchant, including deleted ones, and returns their number.
 * It may run at any time, because consumers ignore versions that are not newer.
 */
export async function resyncMerchants(db: Database): Promise<number> {
  let emitted = 0
  for (let after: MerchantRow['id'] | undefined = lowestId('mrc', 0); after !== undefined; ) {
    const page: MerchantRow[] = await db.write(async (tx, emit) => {
      const rows = await tx.find(MerchantEntity, { id: { $gt: after } }, { orderBy: { id: 'asc' }, limit: pageSize })
      for (const row of rows) emit('merchant.resynced', row, { merchant_id: row.id })
      return rows
    })
    emitted += page.length
    after = page.at(-1)?.id
  }
  return emitted
}
