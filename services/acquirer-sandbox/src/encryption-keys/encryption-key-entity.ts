import type { EncryptionKey } from '@cobro/acquirer'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A key pair that cards are encrypted to. The private part is sealed with the deployment's own key. */
export const EncryptionKeyEntity = defineEntity({
  name: 'EncryptionKey',
  tableName: 'encryption_keys',
  properties: {
    kid: p.string().primary(),
    public_jwk: p.json<EncryptionKey>(),
    private_jwk_sealed: p.string(),
    created_at: p.datetime(3),
  },
})

export type EncryptionKeyRow = InferEntity<typeof EncryptionKeyEntity>
