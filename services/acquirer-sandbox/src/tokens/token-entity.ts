import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { CardBehavior } from './card-behaviors.ts'

/** A stored card: its displayable parts and the behavior of its charges, without its number. */
export const TokenEntity = defineEntity({
  name: 'Token',
  tableName: 'tokens',
  properties: {
    token: p.string().primary(),
    brand: p.string(),
    last4: p.string(),
    exp_month: p.integer(),
    exp_year: p.integer(),
    /** Spelled like its column. */
    behaviour: p.string().$type<CardBehavior>(),
    created_at: p.datetime(3),
  },
})

export type TokenRow = InferEntity<typeof TokenEntity>
