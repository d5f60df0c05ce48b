import { defineEntity, p } from '@mikro-orm/core'

/** This service's copy of a merchant, made from the owner's events. */
export const MerchantEntity = defineEntity({
  name: 'Merchant',
  tableName: 'merchants',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    status: p.text().$type<'active' | 'disabled'>(),
    version: p.integer(),
  },
})
