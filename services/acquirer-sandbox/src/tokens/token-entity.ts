import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Behaviour } from './card-behaviours.ts'

/** A card as the sandbox remembers it: what may be shown, and how to behave when it is charged. Not its number. */
export const TokenEntity = defineEntity({
  name: 'Token',
  tableName: 'tokens',
  properties: {
    token: p.string().primary(),
    brand: p.string(),
    last4: p.string(),
    exp_month: p.integer(),
    exp_year: p.integer(),
    behaviour: p.string().$type<Behaviour>(),
    created_at: p.datetime(3),
  },
})

export type TokenRow = InferEntity<typeof TokenEntity>
