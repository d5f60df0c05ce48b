import type { ApiKey } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** An API key of a merchant. The key itself is stored only as a hash under pepper `pepper_id`. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.string().$type<ApiKey['id']>().primary(),
    merchant_id: p.string().$type<ApiKey['merchant_id']>(),
    name: p.string(),
    key_masked: p.string(),
    pepper_id: p.string(),
    key_hash: p.string(),
    status: p.string().$type<ApiKey['status']>(),
    allowed_ips: p.array<string>().strictNullable(),
    scopes: p.array<string>().$type<NonNullable<ApiKey['scopes']>>().strictNullable(),
    expires_at: p.datetime(3).strictNullable(),
    last_used_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type ApiKeyRow = InferEntity<typeof ApiKeyEntity>
