import type { Caller, Id } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { RefreshTokenEntity } from '../refresh-tokens/refresh-token-entity.ts'
import { lockUserChanges, rejectLosingLastUser } from './protect-last-user.ts'
import { getUserRow } from './read-users.ts'

/** Deletes a user and its logins. Its id stays in the audit log; its e-mail address is freed. */
export function deleteUser(db: Database, caller: Caller, id: Id<'usr'>): Promise<void> {
  return db.write(async (tx, emit) => {
    await lockUserChanges(tx, db.schema)
    const row = await getUserRow(tx, caller, id, { lock: true })
    await rejectLosingLastUser(tx, db.schema, caller, row)
    await tx.nativeDelete(RefreshTokenEntity, { user_id: id })
    tx.remove(row)
    emit('user.deleted', row)
  })
}
