import type { RowOf, settlementConfigs } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type SettlementConfig = RowOf<typeof settlementConfigs>

/** When and to which bank account a merchant is paid out. */
export const SettlementConfigEntity = defineEntity({
  name: 'SettlementConfig',
  tableName: 'settlement_configs',
  properties: {
    id: p.text().$type<SettlementConfig['id']>().primary(),
    merchant_id: p.text().$type<SettlementConfig['merchant_id']>(),
    frequency: p.text().$type<SettlementConfig['frequency']>(),
    weekday: p.integer().strictNullable(),
    month_day: p.integer().strictNullable(),
    delay_days: p.integer(),
    minimum_cents: p.bigint('number'),
    currency: p.text(),
    bank: p.json<SettlementConfig['bank']>().strictNullable(),
    active: p.boolean(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type SettlementConfigRow = InferEntity<typeof SettlementConfigEntity>
