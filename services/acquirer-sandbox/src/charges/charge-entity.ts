import type { ChargeResponse } from '@cobro/acquirer'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * The outcome of a charge key, decided at first use; `processing` in responses until `settles_at`.
 * A key that was reversed before any charge arrived has no token, amount or currency.
 */
export const ChargeEntity = defineEntity({
  name: 'Charge',
  tableName: 'charges',
  properties: {
    key: p.string().primary(),
    reference: p.string().unique(),
    token: p.string().strictNullable(),
    amount_cents: p.bigint('number').strictNullable(),
    currency: p.string().strictNullable(),
    status: p.string().$type<Exclude<ChargeResponse['status'], 'processing'> | 'reversed'>(),
    response_code: p.string().strictNullable(),
    risk_score: p.integer().strictNullable(),
    /** When the outcome is reported. The name has nothing to do with payouts to merchants. */
    settles_at: p.datetime(3),
    created_at: p.datetime(3),
  },
})

export type ChargeRow = InferEntity<typeof ChargeEntity>
