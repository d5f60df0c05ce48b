import { defineEntity, p } from '@mikro-orm/core'

/** This service's copy of a merchant, made from the owner's events. */
export const MerchantEntity = defineEntity({
  name: 'Merchant',
  tableName: 'merchants',
  properties: {
    id: p.string().primary(),
    name: p.string(),
    status: p.string().$type<'active' | 'disabled'>(),
    version: p.integer(),
  },
})
