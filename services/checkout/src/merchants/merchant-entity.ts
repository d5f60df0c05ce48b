import type { merchants, RowOf } from '@cobro/contracts'
import { defineEntity, p } from '@mikro-orm/core'

/** This service's copy of a merchant, kept up to date by the gateway's events. */
export const MerchantEntity = defineEntity({
  name: 'Merchant',
  tableName: 'merchants',
  properties: {
    id: p.text().$type<RowOf<typeof merchants>['id']>().primary(),
    name: p.text(),
    status: p.text().$type<RowOf<typeof merchants>['status']>(),
    version: p.integer(),
  },
})
