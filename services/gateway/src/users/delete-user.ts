import type { Caller } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { RefreshTokenEntity } from '../auth/refresh-token-entity.ts'
import { getUser } from './get-user.ts'
import { oneChangeAtATime, refuseToWeaken } from './keep-operators.ts'

/** Deletes a user and its logins. Its id stays in the audit log; its e-mail is free again. */
export function deleteUser(db: Database, caller: Caller, id: string): Promise<void> {
  return db.write(async (tx, emit) => {
    await oneChangeAtATime(tx, db.schema)
    const row = await getUser(tx, caller, id, { lock: true })
    await refuseToWeaken(tx, db.schema, caller, row)
    await tx.nativeDelete(RefreshTokenEntity, { user_id: id })
    tx.remove(row)
    emit('user.deleted', row as never)
  })
}
