import { SigningKeyEntity } from './signing-key-entity.ts'
import { createSigningKey, findVerifyingKeys, lockSigningKeys, type SigningKeyDeps } from './signing-key-rows.ts'

/**
 * A new key signs only after every verifier can have loaded it: replicas reload after 900 ms,
 * clients cache the key set for the 5 minutes of its Cache-Control header or for the libraries' default of 10 minutes.
 */
const announcementMs = 900_000

/** The change from one signing key to the next; it completes at `signs_from`. */
export interface KeyChange {
  kid: string
  signs_from: Date
  /** False if a change was already in progress, which is then left unchanged. */
  begun: boolean
}

/**
 * Publishes a new signing key, which signs from `signs_from`, when the current one retires.
 * The retired key verifies until its last token has expired. A deployment's first key signs immediately.
 */
export function rotateSigningKey({ db, encryptionKeys }: SigningKeyDeps): Promise<KeyChange> {
  return db.write(async (tx, emit) => {
    await lockSigningKeys(tx, db.schema)
    const now = new Date()
    const last = (await findVerifyingKeys(tx)).find(key => key.retired_at === null)
    if (last && last.signs_from > now) return { kid: last.kid, signs_from: last.signs_from, begun: false }
    const signs_from = last ? new Date(now.getTime() + announcementMs) : now
    if (last) {
      last.retired_at = signs_from
      // Flushes before the insert, because a unique index allows only one key without an end.
      await tx.flush()
    }
    const { kid } = await createSigningKey(tx, encryptionKeys, signs_from)
    emit('auth.signing_key_rotated', { id: kid })
    return { kid, signs_from, begun: true }
  })
}

/**
 * Replaces all signing keys at once after a leak: within a second every replica rejects old tokens.
 * Logins continue, because refresh tokens are not signed.
 */
export function replaceSigningKeys({ db, encryptionKeys }: SigningKeyDeps): Promise<KeyChange> {
  return db.write(async (tx, emit) => {
    await lockSigningKeys(tx, db.schema)
    await tx.nativeDelete(SigningKeyEntity, {})
    const { kid, signs_from } = await createSigningKey(tx, encryptionKeys, new Date())
    emit('auth.signing_keys_replaced', { id: kid })
    return { kid, signs_from, begun: true }
  })
}
