import type { Id } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A refresh token, valid for one use. All tokens of one login share its `family_id`, `authenticated_at` and `ends_at`. */
export const RefreshTokenEntity = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  properties: {
    token_hash: p.string().primary(),
    family_id: p.string(),
    user_id: p.string().$type<Id<'usr'>>(),
    authenticated_at: p.datetime(3),
    created_at: p.datetime(3),
    expires_at: p.datetime(3),
    used_at: p.datetime(3).strictNullable(),
    revoked_at: p.datetime(3).strictNullable(),
    ends_at: p.datetime(3).strictNullable(),
    successor_sealed: p.string().strictNullable(),
  },
})

export type RefreshTokenRow = InferEntity<typeof RefreshTokenEntity>
