import type { Id } from '@cobro/contracts'
import { defineEntity, p } from '@mikro-orm/core'

/** A user's second factor. It counts once it is confirmed with a code. */
export const SecondFactorEntity = defineEntity({
  name: 'SecondFactor',
  tableName: 'second_factors',
  properties: {
    user_id: p.string().$type<Id<'usr'>>().primary(),
    secret_sealed: p.string(),
    last_step: p.bigint('number'),
    created_at: p.datetime(3),
    confirmed_at: p.datetime(3).strictNullable(),
  },
})

/** A code that replaces the second factor once. */
export const RecoveryCodeEntity = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_codes',
  properties: {
    code_hash: p.string().primary(),
    user_id: p.string().$type<Id<'usr'>>(),
    used_at: p.datetime(3).strictNullable(),
  },
})
