import { type Database, newRow, type Reader, seal, type Tx } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { SigningKeyEntity, type SigningKeyRow } from './signing-key-entity.ts'

/** The only algorithm that is accepted in access tokens. */
export const tokenAlgorithm = 'EdDSA'

export interface SigningKeyDeps {
  db: Database
  encryptionKeys: KeyRing
}

/** Tokens of a retired key are valid for 15 minutes at most; the rest allows for clock drift. */
const verifiedAfterRetirementMs = 3_600_000

/** Returns the keys that verify tokens that may still be valid, newest first. */
export function findVerifyingKeys(em: Pick<Reader, 'find'>): Promise<SigningKeyRow[]> {
  const retired_at = { $gt: new Date(Date.now() - verifiedAfterRetirementMs) }
  return em.find(SigningKeyEntity, { $or: [{ retired_at: null }, { retired_at }] }, { orderBy: { signs_from: 'desc' } })
}

/** Prevents concurrent changes of the signing keys until the transaction ends. */
export async function lockSigningKeys(tx: Tx, schema: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`signing-keys:${schema}`])
}

/** Creates a key pair. The private key is stored encrypted under the first encryption key. */
export async function createSigningKey(tx: Tx, encryptionKeys: KeyRing, signs_from: Date): Promise<SigningKeyRow> {
  const pair = await generateKeyPair(tokenAlgorithm, { crv: 'Ed25519', extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  return newRow(tx, SigningKeyEntity, {
    kid,
    public_jwk: { ...publicJwk, kid, alg: tokenAlgorithm, use: 'sig' },
    private_sealed: seal(encryptionKeys, JSON.stringify(await exportJWK(pair.privateKey))),
    created_at: new Date(),
    signs_from,
  })
}

/** Deletes keys that no longer verify tokens, including their private keys. */
export function pruneSigningKeys(db: Database): Promise<unknown> {
  const over = new Date(Date.now() - verifiedAfterRetirementMs)
  return db.write(async tx => tx.execute(`delete from ${db.schema}.signing_keys where retired_at <= ?`, [over]))
}
