import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A merchant. `version` increases with each change, so that other services can ignore outdated events. */
export const MerchantEntity = defineEntity({
  name: 'Merchant',
  tableName: 'merchants',
  properties: {
    id: p.string().primary(),
    name: p.string(),
    legal_name: p.string(),
    rfc: p.string().strictNullable(),
    country: p.string(),
    currency: p.string(),
    status: p.string().$type<'active' | 'disabled'>(),
    version: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).strictNullable(),
  },
})

export type MerchantRow = InferEntity<typeof MerchantEntity>
