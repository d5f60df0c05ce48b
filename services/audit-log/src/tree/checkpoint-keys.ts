import { createPrivateKey, createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto'
import { inProduction, jsonText, strongJwks } from '@cobro/runtime'
import { z } from 'zod'

/** A key to verify checkpoints with. */
export interface VerifyingKey {
  /** The first four bytes of the hash of the key and its name. A signature starts with them. */
  id: Buffer
  publicKey: KeyObject
  /** The key in the format of signed-note verifiers: `name+id+key`. */
  text: string
}

/** The key to sign new checkpoints with. */
export interface SigningKey extends VerifyingKey {
  privateKey: KeyObject
}

const name = 'cobro-audit-log'
/** The number of Ed25519 in C2SP signed-note. */
const algorithm = Buffer.of(1)
const publicJwk = z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string().length(43) })

/** The setting AUDIT_SIGNING_KEY. */
export const signingKeySetting = inProduction(
  jsonText.pipe(publicJwk.extend({ d: z.string().length(43) })).transform(signingKey),
  strongJwks,
).describe('The private Ed25519 key, as a JWK, that signs the checkpoints of the log')

/** The setting AUDIT_PUBLIC_KEYS. */
export const publicKeysSetting = inProduction(
  jsonText
    .pipe(z.object({ keys: z.array(publicJwk.refine(key => !('d' in key), { error: 'expected public keys only' })) }))
    .transform(({ keys }) => keys.map(verifyingKey))
    .default([]),
  strongJwks,
).describe('The public keys of older checkpoints, as a JSON key set')

/** Imports a private Ed25519 JWK. */
export function signingKey(jwk: JsonWebKey): SigningKey {
  return { ...verifyingKey(jwk), privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }
}

/** Imports the public half of an Ed25519 JWK. */
export function verifyingKey(jwk: JsonWebKey): VerifyingKey {
  const bytes = Buffer.concat([algorithm, Buffer.from(String(jwk.x), 'base64url')])
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), bytes]), 'buffer').subarray(0, 4)
  const { kty, crv, x } = jwk
  const publicKey = createPublicKey({ key: { kty, crv, x } as JsonWebKey, format: 'jwk' })
  return { id, publicKey, text: `${name}+${id.toString('hex')}+${bytes.toString('base64')}` }
}
