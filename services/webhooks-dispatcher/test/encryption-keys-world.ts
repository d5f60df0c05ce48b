import { randomBytes } from 'node:crypto'
import { secret } from '@cobro/runtime'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

export type Key = typeof oldKey
export const oldKey = { id: 'old', bytes: secret(randomBytes(32)) }
export const newKey = { id: 'new', bytes: secret(randomBytes(32)) }

/** A world whose replicas know each what they are given: the first of their keys seals. */
export async function worldOfKeys() {
  const { replica, subscribed, ...around } = await worldWithReceiver()
  return {
    ...around,
    replicaWith: (...keys: Key[]) => replica({ ENCRYPTION_KEYS: keys }),
    /** Makes an endpoint by a replica with these keys that is stopped again. */
    subscribedWith: (...keys: Key[]) => subscribed({}, { ENCRYPTION_KEYS: keys }),
  }
}
