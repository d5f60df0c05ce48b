import { randomBytes } from 'node:crypto'
import { type KeyRing, secret } from '@cobro/runtime'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

export type Key = typeof oldKey
export const oldKey = { id: 'old', bytes: secret(randomBytes(32)) }
export const newKey = { id: 'new', bytes: secret(randomBytes(32)) }

/** A test world in which each replica has its own encryption keys. The first key encrypts. */
export async function encryptionKeysWorld() {
  const { replica, subscribed, ...rest } = await worldWithReceiver()
  return {
    ...rest,
    replicaWith: (...keys: KeyRing) => replica({ ENCRYPTION_KEYS: keys }),
    /** Creates an endpoint through a replica with these keys, which is then stopped. */
    subscribedWith: (...keys: KeyRing) => subscribed({}, { ENCRYPTION_KEYS: keys }),
  }
}
