import type { Reader } from '@cobro/database'
import { MerchantEntity } from './merchant-entity.ts'

/** What is known of a merchant: what its own copy says, else what it was called when the session or link was made, when it was active. */
export async function currentMerchant(em: Reader, made: { merchant_id: string; merchant_name: string }) {
  const copy = await em.findOne(MerchantEntity, { id: made.merchant_id })
  return { merchant_name: copy?.name ?? made.merchant_name, merchant_status: copy?.status ?? ('active' as const) }
}
