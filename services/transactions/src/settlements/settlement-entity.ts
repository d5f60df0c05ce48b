import type { RowOf, settlements } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Settlement = RowOf<typeof settlements>

/** A payout to a merchant for a period, with the sums of the entries that it collects. */
export const SettlementEntity = defineEntity({
  name: 'Settlement',
  tableName: 'settlements',
  properties: {
    id: p.text().$type<Settlement['id']>().primary(),
    merchant_id: p.text().$type<Settlement['merchant_id']>(),
    period_start: p.date(),
    period_end: p.date(),
    currency: p.text(),
    gross_cents: p.bigint('number'),
    fee_cents: p.bigint('number'),
    refund_cents: p.bigint('number'),
    chargeback_cents: p.bigint('number'),
    reserve_held_cents: p.bigint('number'),
    reserve_released_cents: p.bigint('number'),
    net_cents: p.bigint('number'),
    transaction_count: p.integer(),
    status: p.text().$type<Settlement['status']>(),
    paid_at: p.datetime(3).strictNullable(),
    reference: p.text().strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).strictNullable(),
  },
})

export type SettlementRow = InferEntity<typeof SettlementEntity>
