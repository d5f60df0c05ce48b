import { type EncryptionKey, encryptionKey, type NotificationKey, notificationKey } from '@cobro/acquirer'
import { type Database, type Reader, seal, type Tx, unseal } from '@cobro/database'
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

/** The public keys of a use, the newest first. The first pair is made when it is first asked for. */
export async function listPublicKeys(deps: KeyPairDeps, use: Use): Promise<(EncryptionKey | NotificationKey)[]> {
  const pairs = await listPairs(deps, use)
  return pairs.map(pair => pair.public_jwk)
}

/** The pair that is signed with now. */
export async function getSigningPair(deps: KeyPairDeps): Promise<KeyPairRow> {
  const [newest] = await listPairs(deps, 'sig')
  if (!newest) throw new Error('There is no pair to sign with.')
  return newest
}

/** The private part of a pair, ready for use. */
export async function privateKeyOf({ keyRing }: { keyRing: KeyRing }, pair: KeyPairRow) {
  return importJWK(JSON.parse(unseal(keyRing, pair.private_jwk_sealed)), pair.public_jwk.alg)
}

async function listPairs({ db, keyRing }: KeyPairDeps, use: Use): Promise<KeyPairRow[]> {
  const there = await db.read(em => newestFirst(em, use))
  return there.length > 0 ? there : [await db.write(tx => makeFirstPair(tx, keyRing, use))]
}

/** Two replicas that find no key at the same time must not make two: the second waits and finds the first one's. */
async function makeFirstPair(tx: Tx, keyRing: KeyRing, use: Use): Promise<KeyPairRow> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`acquirer_sandbox.key_pairs.${use}`])
  const [first] = await newestFirst(tx, use)
  return first ?? tx.create(KeyPairEntity, await newPair(keyRing, use))
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
