import type { ChargeResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { ChargeEntity } from './charge-entity.ts'
import { tellCharge } from './judge-charge.ts'

/** What a key came to, or that nothing has come under it yet. */
export async function findCharge(
  { db }: { db: Database },
  key: string,
): Promise<ChargeResponse | { key: string; status: 'not_found' }> {
  const charge = await db.read(em => em.findOne(ChargeEntity, { key }))
  return charge ? tellCharge(charge, new Date()) : { key, status: 'not_found' }
}
