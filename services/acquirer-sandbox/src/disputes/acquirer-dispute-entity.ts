import type { DisputeState } from '@cobro/acquirer'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A dispute of a charge. Before `opened_at` no request finds it, not even the sandbox controls. */
export const AcquirerDisputeEntity = defineEntity({
  name: 'AcquirerDispute',
  tableName: 'disputes',
  properties: {
    reference: p.string().primary(),
    charge_key: p.string().unique(),
    amount_cents: p.bigint('number'),
    currency: p.string(),
    status: p.string().$type<DisputeState['status']>(),
    due_by: p.datetime(3),
    opened_at: p.datetime(3),
    resolved_at: p.datetime(3).strictNullable(),
  },
})

export type AcquirerDisputeRow = InferEntity<typeof AcquirerDisputeEntity>
