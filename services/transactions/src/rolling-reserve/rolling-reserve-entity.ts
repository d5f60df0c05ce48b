import type { RowOf, rollingReserves } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Which share of each capture is held, and for how many days. */
export const RollingReserveEntity = defineEntity({
  name: 'RollingReserve',
  tableName: 'rolling_reserves',
  properties: {
    id: p.text().$type<RowOf<typeof rollingReserves>['id']>().primary(),
    merchant_id: p.text().$type<RowOf<typeof rollingReserves>['merchant_id']>(),
    percent_bps: p.integer(),
    hold_days: p.integer(),
    active: p.boolean(),
    currency: p.text(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type RollingReserveRow = InferEntity<typeof RollingReserveEntity>
