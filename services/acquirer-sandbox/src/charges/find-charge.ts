import type { ChargeResponse, NotFoundResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { ChargeEntity } from './charge-entity.ts'
import { chargeResponseAt } from './decide-charge.ts'

/** Returns the charge of a key, or `not_found`. */
export async function findCharge({ db }: { db: Database }, key: string): Promise<ChargeResponse | NotFoundResponse> {
  const charge = await db.read(em => em.findOne(ChargeEntity, { key }))
  return charge ? chargeResponseAt(charge, new Date()) : { key, status: 'not_found' }
}
