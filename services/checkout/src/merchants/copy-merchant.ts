import type { EventData } from '@cobro/contracts'
import type { Tx } from '@cobro/database'

/** Stores the newest version of a merchant. An older event may arrive later; it changes nothing. */
export async function copyMerchant(tx: Tx, schema: string, merchant: EventData<'merchant.updated'>): Promise<void> {
  await tx.execute(
    `insert into ${schema}.merchants (id, name, status, version) values (?, ?, ?, ?)
     on conflict (id) do update set name = excluded.name, status = excluded.status, version = excluded.version
     where merchants.version < excluded.version`,
    [merchant.id, merchant.name, merchant.status, merchant.version],
  )
}
