import type { Caller, Id } from '@cobro/contracts'
import { assignRow, type Database, getRow } from '@cobro/database'
import { ApiKeyEntity } from './api-key-entity.ts'

/** Revokes a key and keeps its row for look-ups of its id. Revoking it again changes nothing. */
export function revokeApiKey(db: Database, caller: Caller, id: Id<'key'>): Promise<void> {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, ApiKeyEntity, caller, id, { lock: true })
    if (row.status === 'revoked') return
    assignRow(row, { status: 'revoked', updated_at: new Date() })
    emit('api_key.revoked', row)
  })
}
