import { ApiError, type Id, type publicLinkOperations, type ResponseOf } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { currentMerchant } from '../merchants/current-merchant.ts'
import { LinkEntity } from '../payables/link-entity.ts'

/** Returns the public fields of a link. Anyone who knows its id may read them. */
export function showPublicLink(db: Database, id: Id<'pl'>): Promise<ResponseOf<typeof publicLinkOperations.read>> {
  return db.read(async em => {
    const link = await em.findOne(LinkEntity, { id })
    if (!link) throw new ApiError('not_found')
    updateCallContext(link)
    return { data: { ...link, ...(await currentMerchant(em, link)) }, url: link.url }
  })
}
