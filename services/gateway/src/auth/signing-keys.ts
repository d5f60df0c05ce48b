import type { Database } from '@cobro/database'
import { newRow, seal, type Tx, unseal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { remembered } from '../callers/remembered.ts'
import { SigningKeyEntity, type SigningKeyRow } from './signing-key-entity.ts'

/** The algorithm of users' tokens, the only one that is accepted. */
export const tokenAlgorithm = 'EdDSA'

type ImportedKey = Awaited<ReturnType<typeof importJWK>>

/** The deployment's keys for users' tokens. */
export interface SigningKeys {
  /** The key that new tokens are signed with. */
  current(): Promise<{ kid: string; key: ImportedKey }>
  /** The public keys by which tokens that may still be good are verified. */
  published(): Promise<JWK[]>
  /** The public key of that name, if it is one of those. */
  find(kid: string): Promise<ImportedKey | undefined>
}

/** As long as a token of a retired key may still be good, with room for clocks. */
const verifiedAfterRetirementMs = 3_600_000
const freshMs = 900

/** Opens the signing keys. The first one is made when it is first needed, by one replica alone. */
export function openSigningKeys(deps: { db: Database; encryptionKeys: KeyRing }): SigningKeys {
  const rows = remembered({ ms: freshMs, load: () => loadKeys(deps) })
  const publicKeys = remembered({
    ms: freshMs,
    load: async () => {
      const keys = await rows(undefined)
      const imported = keys.map(async key => [key.kid, await importJWK(key.public_jwk, tokenAlgorithm)] as const)
      return new Map(await Promise.all(imported))
    },
  })
  const privateKey = remembered({
    ms: freshMs,
    load: async () => {
      const key = (await rows(undefined)).find(row => row.retired_at === null)
      if (!key) throw new Error('No signing key is in use.')
      const jwk = JSON.parse(unseal(deps.encryptionKeys, key.private_sealed)) as JWK
      return { kid: key.kid, key: await importJWK(jwk, tokenAlgorithm) }
    },
  })
  return {
    current: () => privateKey(undefined),
    published: async () => (await rows(undefined)).map(key => key.public_jwk),
    find: async kid => (await publicKeys(undefined)).get(kid),
  }
}

type KeyDeps = Parameters<typeof openSigningKeys>[0]

async function loadKeys(deps: KeyDeps): Promise<SigningKeyRow[]> {
  const found = await deps.db.read(em => em.find(SigningKeyEntity, stillGood(), newestFirst))
  return found.some(key => key.retired_at === null) ? found : makeFirstKey(deps)
}

function makeFirstKey({ db, encryptionKeys }: KeyDeps): Promise<SigningKeyRow[]> {
  return db.write(async tx => {
    await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`signing-keys:${db.schema}`])
    const found = await tx.find(SigningKeyEntity, stillGood(), newestFirst)
    if (found.some(key => key.retired_at === null)) return found
    return [await makeKey(tx, encryptionKeys), ...found]
  })
}

async function makeKey(tx: Tx, encryptionKeys: KeyRing): Promise<SigningKeyRow> {
  const pair = await generateKeyPair(tokenAlgorithm, { crv: 'Ed25519', extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  return newRow(tx, SigningKeyEntity, {
    kid,
    public_jwk: { ...publicJwk, kid, alg: tokenAlgorithm, use: 'sig' },
    private_sealed: seal(encryptionKeys, JSON.stringify(await exportJWK(pair.privateKey))),
    created_at: new Date(),
  })
}

const stillGood = () => ({
  $or: [{ retired_at: null }, { retired_at: { $gt: new Date(Date.now() - verifiedAfterRetirementMs) } }],
})
const newestFirst = { orderBy: { created_at: 'desc' } } as const
