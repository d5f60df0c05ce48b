import { createPrivateKey, createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto'
import { jsonText } from '@cobro/runtime'
import { z } from 'zod'

/** A key that checkpoints are checked with. */
export interface VerifyingKey {
  /** The first four bytes of the hash of the key and its name, by which a signature says whose it is. */
  id: Buffer
  publicKey: KeyObject
  /** The key as verifiers of signed notes take it: `name+id+key`. */
  text: string
}

/** The key that new checkpoints are signed with. */
export interface SigningKey extends VerifyingKey {
  privateKey: KeyObject
}

const name = 'cobro-audit-log'
/** The number of Ed25519 among the algorithms of signed notes. */
const algorithm = Buffer.of(1)
const publicJwk = z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string().length(43) })

/** The setting AUDIT_SIGNING_KEY. */
export const signingKeySetting = jsonText
  .pipe(publicJwk.extend({ d: z.string().length(43) }))
  .transform(signingKey)
  .describe('The private Ed25519 key, a JWK, that checkpoints of the log are signed with')

/** The setting AUDIT_PUBLIC_KEYS. */
export const publicKeysSetting = jsonText
  .pipe(z.object({ keys: z.array(publicJwk.refine(key => !('d' in key), { error: 'expected public keys alone' })) }))
  .transform(({ keys }) => keys.map(verifyingKey))
  .default([])
  .describe('The public keys that older checkpoints were signed with, as a JSON key set')

/** A private Ed25519 JWK, ready to sign. */
export function signingKey(jwk: JsonWebKey): SigningKey {
  return { ...verifyingKey(jwk), privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }
}

/** An Ed25519 JWK, ready to check signatures. */
export function verifyingKey(jwk: JsonWebKey): VerifyingKey {
  const bytes = Buffer.concat([algorithm, Buffer.from(String(jwk.x), 'base64url')])
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), bytes]), 'buffer').subarray(0, 4)
  const { kty, crv, x } = jwk
  const publicKey = createPublicKey({ key: { kty, crv, x } as JsonWebKey, format: 'jwk' })
  return { id, publicKey, text: `${name}+${id.toString('hex')}+${bytes.toString('base64')}` }
}
