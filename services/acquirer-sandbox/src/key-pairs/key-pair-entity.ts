import type { EncryptionKey, NotificationKey } from '@cobro/acquirer'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A key pair for encrypting cards (`enc`) or signing notifications (`sig`). */
export const KeyPairEntity = defineEntity({
  name: 'KeyPair',
  tableName: 'key_pairs',
  properties: {
    kid: p.string().primary(),
    use: p.string().$type<'enc' | 'sig'>(),
    public_jwk: p.json<EncryptionKey | NotificationKey>(),
    private_jwk_sealed: p.string(),
    created_at: p.datetime(3),
  },
})

export type KeyPairRow = InferEntity<typeof KeyPairEntity>
