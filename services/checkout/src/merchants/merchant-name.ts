import type { Reader } from '@cobro/database'
import { MerchantEntity } from './merchant-entity.ts'

/** How a merchant is called on pages: by its own copy, else as it was called when the session or link was made. */
export async function merchantNameOf(
  em: Reader,
  made: { merchant_id: string; merchant_name: string },
): Promise<string> {
  const merchant = await em.findOne(MerchantEntity, { id: made.merchant_id })
  return merchant?.name ?? made.merchant_name
}
