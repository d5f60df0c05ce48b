import { SigningKeyEntity } from './signing-key-entity.ts'
import { createSigningKey, findVerifyingKeys, lockSigningKeys, type SigningKeyDeps } from './signing-key-rows.ts'

/**
 * A new key signs only once everybody who verifies tokens can know it: our replicas ask anew after 900 ms, others may keep
 * our key set for the 5 minutes that its answer says, or for the 10 that libraries take by themselves.
 */
const announcedForMs = 900_000

/** The change from one signing key to the next, which is under way until `signs_from`. */
export interface KeyChange {
  kid: string
  signs_from: Date
  /** False where such a change was under way already, which is then left as it is. */
  begun: boolean
}

/**
 * Begins the change to a new signing key: it is published at once and signs later, when the one before stops. That one goes
 * on verifying until its last token has run out. Where there is no key yet, the new one signs at once.
 */
export function rotateSigningKey({ db, encryptionKeys }: SigningKeyDeps): Promise<KeyChange> {
  return db.write(async (tx, emit) => {
    await lockSigningKeys(tx, db.schema)
    const now = new Date()
    const last = (await findVerifyingKeys(tx)).find(key => key.retired_at === null)
    if (last && last.signs_from > now) return { kid: last.kid, signs_from: last.signs_from, begun: false }
    const signs_from = last ? new Date(now.getTime() + announcedForMs) : now
    if (last) {
      last.retired_at = signs_from
      // Written before the new row: two without an end are refused.
      await tx.flush()
    }
    const { kid } = await createSigningKey(tx, encryptionKeys, signs_from)
    emit('auth.signing_key_rotated', { id: kid })
    return { kid, signs_from, begun: true }
  })
}

/**
 * Replaces all signing keys at once, for when a private one leaked: within a second every replica refuses what the old ones
 * signed. Logins go on, since refresh tokens are signed by no key.
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
