import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** When and where a merchant is paid out. */
export const SettlementConfigEntity = defineEntity({
  name: 'SettlementConfig',
  tableName: 'settlement_configs',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    frequency: p.text().$type<'daily' | 'weekly' | 'monthly'>(),
    weekday: p.integer().nullable(),
    month_day: p.integer().nullable(),
    delay_days: p.integer(),
    minimum_cents: p.bigint('number'),
    currency: p.text(),
    bank: p.json<{ clabe: string; holder: string; bank_name: string | null }>().nullable(),
    active: p.boolean(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type SettlementConfigRow = InferEntity<typeof SettlementConfigEntity>
