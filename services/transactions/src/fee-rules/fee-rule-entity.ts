import type { feeRules, RowOf } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type FeeRule = RowOf<typeof feeRules>

/** The fee of a merchant's payments, and which payments it applies to: null matches all. */
export const FeeRuleEntity = defineEntity({
  name: 'FeeRule',
  tableName: 'fee_rules',
  properties: {
    id: p.text().$type<FeeRule['id']>().primary(),
    merchant_id: p.text().$type<FeeRule['merchant_id']>(),
    name: p.text(),
    rail: p.text().$type<FeeRule['rail']>().strictNullable(),
    payment_method: p.text().$type<FeeRule['payment_method']>().strictNullable(),
    card_brand: p.text().strictNullable(),
    percent_bps: p.integer(),
    fixed_cents: p.bigint('number'),
    min_fee_cents: p.bigint('number').strictNullable(),
    max_fee_cents: p.bigint('number').strictNullable(),
    tax_bps: p.integer(),
    currency: p.text().strictNullable(),
    priority: p.integer(),
    active: p.boolean(),
    valid_from: p.datetime(3).strictNullable(),
    valid_to: p.datetime(3).strictNullable(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type FeeRuleRow = InferEntity<typeof FeeRuleEntity>
