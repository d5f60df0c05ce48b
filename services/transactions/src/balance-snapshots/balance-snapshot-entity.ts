import type { balanceSnapshots, RowOf } from '@cobro/contracts'
import { defineEntity, p } from '@mikro-orm/core'

/** A merchant's balances in one currency at a point in time. */
export const BalanceSnapshotEntity = defineEntity({
  name: 'BalanceSnapshot',
  tableName: 'balance_snapshots',
  properties: {
    id: p.text().$type<RowOf<typeof balanceSnapshots>['id']>().primary(),
    merchant_id: p.text().$type<RowOf<typeof balanceSnapshots>['merchant_id']>(),
    currency: p.text(),
    as_of: p.datetime(3),
    /** The day at whose end the daily run took it; null if requested through the API. */
    day: p.date().strictNullable(),
    available_cents: p.bigint('number'),
    pending_cents: p.bigint('number'),
    reserved_cents: p.bigint('number'),
    disputed_cents: p.bigint('number'),
    note: p.text().strictNullable(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})
