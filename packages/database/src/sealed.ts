import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { type KeyRing, reveal } from '@cobro/runtime'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Key objects by their keys. To make one takes several times as long as to decrypt a secret. */
const keyObjects = new WeakMap<KeyRing[number], KeyObject>()

function keyObjectOf(key: KeyRing[number]): KeyObject {
  const known = keyObjects.get(key)
  if (known) return known
  const made = createSecretKey(reveal(key.bytes))
  keyObjects.set(key, made)
  return made
}

/** Encrypts with the first key and AES-256-GCM: `key id . base64url(nonce, tag, ciphertext)`. */
export function seal(keys: KeyRing, secret: string): string {
  const [key] = keys
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, keyObjectOf(key), nonce)
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return `${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`
}

/** Decrypts a sealed secret. Throws if the key that it names is missing or a bit was changed. */
export function unseal(keys: KeyRing, sealed: string): string {
  const [keyId, payload = ''] = sealed.split('.')
  const key = keys.find(candidate => candidate.id === keyId)
  if (!key) throw new Error(`The encryption key ${keyId} is not configured.`)
  const bytes = Buffer.from(payload, 'base64url')
  const decipher = createDecipheriv(algorithm, keyObjectOf(key), bytes.subarray(0, nonceBytes))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8')
}
