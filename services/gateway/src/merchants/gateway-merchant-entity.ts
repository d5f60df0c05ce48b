import type { merchants, RowOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Merchant = RowOf<typeof merchants>

/** A merchant. `version` grows with each change, so other services can ignore outdated events. */
export const MerchantEntity = defineEntity({
  name: 'Merchant',
  tableName: 'merchants',
  properties: {
    id: p.string().$type<Merchant['id']>().primary(),
    name: p.string(),
    legal_name: p.string(),
    rfc: p.string().strictNullable(),
    country: p.string(),
    currency: p.string(),
    timezone: p.string(),
    payer_receipts: p.boolean(),
    status: p.string().$type<Merchant['status']>(),
    version: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).strictNullable(),
  },
})

export type MerchantRow = InferEntity<typeof MerchantEntity>
