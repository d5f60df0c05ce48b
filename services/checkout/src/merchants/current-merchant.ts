import type { Id } from '@cobro/contracts'
import { findRow, type Reader } from '@cobro/database'
import { MerchantEntity } from './merchant-entity.ts'

/** Returns a merchant's copied name and status, else the session's or link's name and `active`. */
export async function currentMerchant(em: Reader, payable: { merchant_id: Id<'mrc'>; merchant_name: string }) {
  const copy = await findRow(em, MerchantEntity, { id: payable.merchant_id })
  return { merchant_name: copy?.name ?? payable.merchant_name, merchant_status: copy?.status ?? ('active' as const) }
}
