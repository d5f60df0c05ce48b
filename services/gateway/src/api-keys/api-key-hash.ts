import { createHmac } from 'node:crypto'
import { type KeyRing, reveal, type Secret } from '@cobro/runtime'

/** What of a key is stored: its HMAC under the ring's first pepper, and which pepper that was. */
export function apiKeyHash(peppers: KeyRing, key: string): { pepper_id: string; key_hash: string } {
  const [pepper] = peppers
  if (!pepper) throw new Error('No API key pepper is configured.')
  return { pepper_id: pepper.id, key_hash: hmac(pepper.bytes, key) }
}

/** Under which hashes a key may be stored: one for each pepper, so that peppers can be changed without changing keys. */
export function possibleApiKeyHashes(peppers: KeyRing, key: string): string[] {
  return peppers.map(pepper => hmac(pepper.bytes, key))
}

function hmac(pepper: Secret<Buffer>, key: string): string {
  return createHmac('sha256', reveal(pepper)).update(key).digest('hex')
}
