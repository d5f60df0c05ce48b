import type { Id } from '@cobro/contracts'
import type { Reader } from '@cobro/database'
import { MerchantEntity } from './merchant-entity.ts'

/** Returns a merchant's name and status from this service's copy, else the name from the session or link and `active`. */
export async function currentMerchant(em: Reader, payable: { merchant_id: Id<'mrc'>; merchant_name: string }) {
  const copy = await em.findOne(MerchantEntity, { id: payable.merchant_id })
  return { merchant_name: copy?.name ?? payable.merchant_name, merchant_status: copy?.status ?? ('active' as const) }
}
