import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * What a key came to, decided when the key was first seen and never changed. Until `settles_at` it is not told. A key that
 * was reversed before any charge arrived has no token, amount or currency.
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
    status: p.string().$type<'approved' | 'declined' | 'failed' | 'reversed'>(),
    response_code: p.string().strictNullable(),
    risk_score: p.integer().strictNullable(),
    settles_at: p.datetime(3),
    created_at: p.datetime(3),
  },
})

export type ChargeRow = InferEntity<typeof ChargeEntity>
