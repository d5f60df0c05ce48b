import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** What a merchant's payments cost it, and which payments that is said of: null stands for all. */
export const FeeRuleEntity = defineEntity({
  name: 'FeeRule',
  tableName: 'fee_rules',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    name: p.text(),
    rail: p.text().nullable(),
    payment_method: p.text().nullable(),
    card_brand: p.text().nullable(),
    percent_bps: p.integer(),
    fixed_cents: p.bigint('number'),
    min_fee_cents: p.bigint('number').nullable(),
    max_fee_cents: p.bigint('number').nullable(),
    tax_bps: p.integer(),
    currency: p.text().nullable(),
    priority: p.integer(),
    active: p.boolean(),
    valid_from: p.datetime(3).nullable(),
    valid_to: p.datetime(3).nullable(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type FeeRuleRow = InferEntity<typeof FeeRuleEntity>
