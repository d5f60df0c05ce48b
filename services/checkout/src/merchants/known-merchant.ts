import type { Reader } from '@cobro/database'
import { MerchantEntity } from './merchant-entity.ts'

interface KnownMerchant {
  name: string | undefined
  status: 'active' | 'disabled'
}

/** What is known of a merchant. One of which no event has come yet was active when it opened its session. */
export async function knownMerchant(em: Reader, id: string): Promise<KnownMerchant> {
  const copy = await em.findOne(MerchantEntity, { id })
  return { name: copy?.name, status: copy?.status ?? 'active' }
}
