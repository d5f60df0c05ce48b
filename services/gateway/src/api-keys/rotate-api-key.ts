import { ApiError, type apiKeyOperations, type BodyOf, type Caller, type Id } from '@cobro/contracts'
import { assignRow, getRow } from '@cobro/database'
import { ApiKeyEntity, type ApiKeyRow } from './api-key-entity.ts'
import { insertApiKey, type NewKeyDeps, notifyNewKey } from './create-api-key.ts'
import { rejectWiderScopes } from './reject-wider-scopes.ts'

type Rotation = BodyOf<typeof apiKeyOperations.rotate>

/**
 * Creates a new key with the name, allowed addresses and scopes of an old one. The old key expires after
 * the overlap, or at its own expiry if that is earlier.
 */
export function rotateApiKey(
  { db, keySettings, mails }: NewKeyDeps,
  { caller, id, rotation }: { caller: Caller; id: Id<'key'>; rotation: Rotation },
) {
  return db.write(async (tx, emit) => {
    const old = await getRow(tx, ApiKeyEntity, caller, id, { lock: true })
    const now = new Date()
    rejectEnded(old, now)
    const { merchant_id, name, allowed_ips, scopes } = old
    rejectWiderScopes(caller, scopes)
    const successor = insertApiKey(
      { settings: keySettings, tx, emit },
      { merchant_id, name, allowed_ips, scopes, expires_at: rotation.expires_at },
    )
    const end = new Date(now.getTime() + rotation.overlap_seconds * 1000)
    const expires_at = old.expires_at && old.expires_at < end ? old.expires_at : end
    assignRow(old, { expires_at, updated_at: now })
    emit('api_key.rotated', { id, name, expires_at, successor_id: successor.id }, { merchant_id })
    await notifyNewKey(mails, tx, successor)
    return successor
  })
}

function rejectEnded({ status, expires_at }: ApiKeyRow, now: Date): void {
  if (status === 'revoked') throw new ApiError('conflict', 'this API key is revoked')
  if (expires_at && expires_at <= now) throw new ApiError('conflict', 'this API key has expired')
}
