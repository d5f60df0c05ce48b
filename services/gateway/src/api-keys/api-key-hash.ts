import { createHmac } from 'node:crypto'
import { type KeyRing, reveal, type Secret } from '@cobro/runtime'

/** Hashes a key for storage: HMAC-SHA256 under the first pepper of the ring. */
export function apiKeyHash(peppers: KeyRing, key: string): { pepper_id: string; key_hash: string } {
  const [pepper] = peppers
  return { pepper_id: pepper.id, key_hash: hmac(pepper.bytes, key) }
}

/** Hashes a key under every pepper of the ring, as any of them may have hashed the stored key. */
export function possibleApiKeyHashes(peppers: KeyRing, key: string): string[] {
  return peppers.map(pepper => hmac(pepper.bytes, key))
}

function hmac(pepper: Secret<Buffer>, key: string): string {
  return createHmac('sha256', reveal(pepper)).update(key).digest('hex')
}
