import type { Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { ApiKeyEntity } from './api-key-entity.ts'

/**
 * Revokes a key. Its record stays, so that the audit log's names can be looked up. Revoking again is no fault: whoever has
 * to repeat the call wants nothing else than what is so already.
 */
export function revokeApiKey(db: Database, caller: Caller, id: string): Promise<void> {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, ApiKeyEntity, caller, id, { lock: true })
    if (row.status === 'revoked') return
    tx.assign(row, { status: 'revoked', updated_at: new Date() })
    emit('api_key.revoked', row)
  })
}
