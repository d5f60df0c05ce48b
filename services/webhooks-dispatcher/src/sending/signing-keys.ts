import { createSecretKey, type KeyObject } from 'node:crypto'
import { secretPrefixes } from '@cobro/contracts'
import { unseal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { LRUCache } from 'lru-cache'

/** The keys of a webhook secret: the whole of it for our signature, the bytes after its prefix for that of Standard Webhooks. */
export interface SigningKeys {
  whole: KeyObject
  afterPrefix: KeyObject
}

/** Opened secrets by their sealed text. To open one and make its keys takes several times as long as to sign. */
const opened = new WeakMap<KeyRing, LRUCache<string, SigningKeys>>()
const maxOpened = 1_000

/** Returns the keys of a sealed secret. Throws as `unseal` does. */
export function openSigningKeys(keys: KeyRing, sealed: string): SigningKeys {
  const known = opened.get(keys) ?? new LRUCache({ max: maxOpened })
  opened.set(keys, known)
  const found = known.get(sealed)
  if (found) return found
  const made = signingKeys(unseal(keys, sealed))
  known.set(sealed, made)
  return made
}

/** Returns the keys of a secret. */
export function signingKeys(secret: string): SigningKeys {
  return {
    whole: createSecretKey(secret, 'utf8'),
    afterPrefix: createSecretKey(secret.slice(secretPrefixes.webhookSecret.length), 'base64'),
  }
}
