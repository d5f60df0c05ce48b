import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { type Database, seal, unseal } from '@cobro/database'
import type { KeyPairDeps } from '../key-pairs/key-pairs.ts'

/** The key of each database that was read already. */
const keys = new WeakMap<Database, Promise<KeyObject>>()

/**
 * Returns a text that is the same for each use of a card number. It is an HMAC under a key of the sandbox, because the few
 * possible numbers could be tried out against a plain hash.
 */
export async function cardFingerprint(deps: KeyPairDeps, number: string): Promise<string> {
  const key = keys.get(deps.db) ?? readKey(deps)
  keys.set(deps.db, key)
  // A failed read is not kept, so that the next card reads again.
  key.catch(() => keys.delete(deps.db))
  return `fp_${createHmac('sha256', await key)
    .update(number)
    .digest('base64url')}`
}

/** The first card of a new sandbox makes the key. Of replicas that do so at once, all use the one that was stored. */
async function readKey({ db, keyRing }: KeyPairDeps): Promise<KeyObject> {
  const select = 'select key_sealed from acquirer_sandbox.fingerprint_key'
  const [known] = await db.execute<{ key_sealed: string }>(select)
  const sealed = known?.key_sealed ?? (await storeKey({ db, keyRing }))
  return createSecretKey(unseal(keyRing, sealed), 'base64')
}

async function storeKey({ db, keyRing }: KeyPairDeps): Promise<string> {
  const [stored] = await db.execute<{ key_sealed: string }>(
    `insert into acquirer_sandbox.fingerprint_key (key_sealed) values (?)
     on conflict (single) do update set key_sealed = fingerprint_key.key_sealed returning key_sealed`,
    [seal(keyRing, randomBytes(32).toString('base64'))],
  )
  if (!stored) throw new Error('The key of fingerprints was not stored.')
  return stored.key_sealed
}
