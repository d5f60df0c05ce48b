import { type EncryptionKey, encryptionKey, type NotificationKey, notificationKey } from '@cobro/acquirer'
import { type Database, findRow, newRow, type Reader, seal, type Tx, unseal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import { KeyPairEntity, type KeyPairRow } from './key-pair-entity.ts'

export interface KeyPairDeps {
  db: Database
  keyRing: KeyRing
}

type Use = KeyPairRow['use']

const algorithms = {
  enc: { alg: 'ECDH-ES', options: { crv: 'P-256' }, schema: encryptionKey },
  sig: { alg: 'EdDSA', options: { crv: 'Ed25519' }, schema: notificationKey },
} as const

/** Returns the public keys of a use, newest first. The first request creates the first pair. */
export async function listPublicKeys(deps: KeyPairDeps, use: Use): Promise<(EncryptionKey | NotificationKey)[]> {
  const pairs = await findPairs(deps, use)
  return pairs.map(pair => pair.public_jwk)
}

/** Returns the current signing pair. */
export async function getSigningPair(deps: KeyPairDeps): Promise<KeyPairRow> {
  const [newest] = await findPairs(deps, 'sig')
  if (!newest) throw new Error('There is no signing key pair.')
  return newest
}

/** Returns the private key of a pair. */
export async function privateKeyOf({ keyRing }: { keyRing: KeyRing }, pair: KeyPairRow) {
  return importJWK(JSON.parse(unseal(keyRing, pair.private_jwk_sealed)), pair.public_jwk.alg)
}

interface DecryptionKey {
  alg: string
  privateKey: Awaited<ReturnType<typeof importJWK>>
}

/** The keys of each database that were read already. Pairs never change and are never deleted. */
const decryptionKeys = new WeakMap<Database, Map<string, DecryptionKey>>()

/** Returns the private key that decrypts what was encrypted to a key of ours, or undefined for another key. */
export async function findDecryptionKey({ db, keyRing }: KeyPairDeps, kid: string): Promise<DecryptionKey | undefined> {
  const known = decryptionKeys.get(db) ?? new Map<string, DecryptionKey>()
  decryptionKeys.set(db, known)
  const knownKey = known.get(kid)
  if (knownKey) return knownKey
  const pair = await db.read(em => findRow(em, KeyPairEntity, { kid, use: 'enc' }))
  if (!pair) return undefined
  const key = { alg: pair.public_jwk.alg, privateKey: await privateKeyOf({ keyRing }, pair) }
  known.set(kid, key)
  return key
}

async function findPairs({ db, keyRing }: KeyPairDeps, use: Use): Promise<KeyPairRow[]> {
  const pairs = await db.read(em => newestFirst(em, use))
  return pairs.length > 0 ? pairs : [await db.write(tx => createFirstPair(tx, keyRing, use))]
}

/** Creates the first pair under a lock, so that concurrent replicas all get the same pair. */
async function createFirstPair(tx: Tx, keyRing: KeyRing, use: Use): Promise<KeyPairRow> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`acquirer_sandbox.key_pairs.${use}`])
  const [first] = await newestFirst(tx, use)
  return first ?? newRow(tx, KeyPairEntity, await newPair(keyRing, use))
}

function newestFirst(em: Reader, use: Use): Promise<KeyPairRow[]> {
  return em.find(KeyPairEntity, { use }, { orderBy: { created_at: 'desc', kid: 'desc' } })
}

async function newPair(keyRing: KeyRing, use: Use): Promise<KeyPairRow> {
  const { alg, options, schema } = algorithms[use]
  const { publicKey, privateKey } = await generateKeyPair(alg, { ...options, extractable: true })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return {
    kid,
    use,
    public_jwk: schema.parse({ ...jwk, kid, alg, use }),
    private_jwk_sealed: seal(keyRing, JSON.stringify(await exportJWK(privateKey))),
    created_at: new Date(),
  }
}
