import { type EncryptionKey, encryptionKey } from '@cobro/acquirer'
import { type Database, type Reader, seal, type Tx } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { EncryptionKeyEntity, type EncryptionKeyRow } from './encryption-key-entity.ts'

export interface EncryptionKeyDeps {
  db: Database
  keyRing: KeyRing
}

const algorithm = 'ECDH-ES'

/** The public keys, the newest first. The first pair is made when it is first asked for. */
export async function listEncryptionKeys({ db, keyRing }: EncryptionKeyDeps): Promise<EncryptionKey[]> {
  const there = await db.read(newestFirst)
  const rows = there.length > 0 ? there : [await db.write(tx => makeFirstPair(tx, keyRing))]
  return rows.map(row => row.public_jwk)
}

/** Two replicas that find no key at the same time must not make two: the second waits and finds the first one's. */
async function makeFirstPair(tx: Tx, keyRing: KeyRing): Promise<EncryptionKeyRow> {
  await tx.execute(`select pg_advisory_xact_lock(hashtextextended('acquirer_sandbox.encryption_keys', 0))`)
  const [first] = await newestFirst(tx)
  return first ?? tx.create(EncryptionKeyEntity, await newPair(keyRing))
}

function newestFirst(em: Reader): Promise<EncryptionKeyRow[]> {
  return em.find(EncryptionKeyEntity, {}, { orderBy: { created_at: 'desc', kid: 'desc' } })
}

async function newPair(keyRing: KeyRing): Promise<EncryptionKeyRow> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: 'P-256', extractable: true })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return {
    kid,
    public_jwk: encryptionKey.parse({ ...jwk, kid, alg: algorithm, use: 'enc' }),
    private_jwk_sealed: seal(keyRing, JSON.stringify(await exportJWK(privateKey))),
    created_at: new Date(),
  }
}
