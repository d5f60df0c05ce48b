import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { JWK } from 'jose'

/** A key pair for access tokens, published at once. Signs from `signs_from` until `retired_at`. */
export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    kid: p.string().primary(),
    public_jwk: p.json<JWK>(),
    private_sealed: p.string(),
    created_at: p.datetime(3),
    signs_from: p.datetime(3),
    retired_at: p.datetime(3).strictNullable(),
  },
})

export type SigningKeyRow = InferEntity<typeof SigningKeyEntity>
