import { unseal } from '@cobro/database'
import { importJWK, type JWK } from 'jose'
import { cachedLoad } from '../cache/cached-load.ts'
import type { SigningKeyRow } from './signing-key-entity.ts'
import {
  createSigningKey,
  findVerifyingKeys,
  lockSigningKeys,
  type SigningKeyDeps,
  tokenAlgorithm,
} from './signing-key-rows.ts'

type ImportedKey = Awaited<ReturnType<typeof importJWK>>

/** The deployment's signing keys for access tokens. */
export interface SigningKeys {
  /** Returns the key that signs new tokens. */
  current(): Promise<{ kid: string; key: ImportedKey }>
  /** Returns the public keys that verify valid tokens, and the key that signs next. */
  published(): Promise<JWK[]>
  /** Returns the public key with this id, if it is published. */
  find(kid: string): Promise<ImportedKey | undefined>
}

const ttlMs = 900

/** Opens the signing keys. The first replica that needs a key creates it. */
export function openSigningKeys(deps: SigningKeyDeps): SigningKeys {
  const cached = cachedLoad({ ttlMs, load: () => loadKeys(deps).then(withPublicKeys) })
  return {
    current: async () => {
      const { rows } = await cached(undefined)
      const { kid, private_sealed } = signerOf(rows, new Date())
      const jwk = JSON.parse(unseal(deps.encryptionKeys, private_sealed)) as JWK
      return { kid, key: await importJWK(jwk, tokenAlgorithm) }
    },
    published: async () => (await cached(undefined)).rows.map(key => key.public_jwk),
    find: async kid => (await cached(undefined)).publicKeys.get(kid),
  }
}

async function withPublicKeys(rows: SigningKeyRow[]) {
  const imported = rows.map(async row => [row.kid, await importJWK(row.public_jwk, tokenAlgorithm)] as const)
  return { rows, publicKeys: new Map(await Promise.all(imported)) }
}

/** Returns the newest key that may sign. With a slow clock it is the previous, still valid key. */
function signerOf(rows: SigningKeyRow[], now: Date): SigningKeyRow {
  const signer = rows.find(key => key.signs_from <= now) ?? rows.at(-1)
  if (!signer) throw new Error('No signing key is in use.')
  return signer
}

async function loadKeys(deps: SigningKeyDeps): Promise<SigningKeyRow[]> {
  const found = await deps.db.read(findVerifyingKeys)
  return hasUnretired(found) ? found : makeFirstKey(deps)
}

function makeFirstKey({ db, encryptionKeys }: SigningKeyDeps): Promise<SigningKeyRow[]> {
  return db.write(async tx => {
    await lockSigningKeys(tx, db.schema)
    const found = await findVerifyingKeys(tx)
    if (hasUnretired(found)) return found
    return [await createSigningKey(tx, encryptionKeys, new Date()), ...found]
  })
}

const hasUnretired = (rows: SigningKeyRow[]) => rows.some(key => key.retired_at === null)
