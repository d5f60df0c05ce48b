import { isDeepStrictEqual } from 'node:util'
import { ApiError, accessMisfit, type BodyOf, type Caller, type Id, type userOperations } from '@cobro/contracts'
import { assignRow, type Database } from '@cobro/database'
import { endLogins } from '../refresh-tokens/refresh-tokens.ts'
import { lockMerchants } from './lock-merchants.ts'
import { lockUserChanges, rejectLosingLastUser } from './protect-last-user.ts'
import { getUserRow, rejectUnmanagedUser } from './read-users.ts'
import type { UserRow } from './user-entity.ts'

type UserChange = Pick<BodyOf<typeof userOperations.update>, 'name' | 'status' | 'merchants' | 'access'>

/**
 * Changes a user that the caller may manage. Emits no event for unchanged values. Disabling a user, or changing its scope or
 * access, ends its logins. A new scope or access voids its setup token, whose issuer could otherwise take over the new rights.
 */
export function updateUser(db: Database, caller: Caller, id: Id<'usr'>, change: UserChange): Promise<UserRow> {
  return db.write(async (tx, emit) => {
    await lockUserChanges(tx, db.schema)
    const row = await getUserRow(tx, caller, id, { lock: true })
    const { name = row.name, status = row.status, merchants = row.merchants, access = row.access } = change
    rejectMisfits(row, { merchants, access })
    const disabled = status === 'disabled' && row.status === 'active'
    const rescoped = !isDeepStrictEqual(merchants, row.merchants)
    const changesRights = disabled || rescoped || access !== row.access
    if (name === row.name && status === row.status && !changesRights) return row
    if (changesRights) await rejectLosingLastUser(tx, db.schema, caller, row)
    if (rescoped && merchants !== null) {
      rejectUnmanagedUser(caller, { merchant_id: row.merchant_id, merchants })
      await lockMerchants(tx, merchants)
    }
    if (changesRights) await endLogins(tx, id)
    const now = new Date()
    if (changesRights || status !== row.status) row.credentials_since = now
    if (rescoped || access !== row.access) assignRow(row, { setup_token_hash: null, setup_expires_at: null })
    assignRow(row, { name, status, merchants, access, updated_at: now })
    emit('user.updated', row)
    return row
  })
}

/** Throws a 400 for a scope or access that the user's role cannot have. */
function rejectMisfits({ role }: UserRow, { merchants, access }: Pick<UserRow, 'merchants' | 'access'>): void {
  if (role === 'client' && merchants !== null) {
    throw new ApiError('invalid_request', 'merchants: not for the role client')
  }
  const misfit = accessMisfit(role, access)
  if (misfit) throw new ApiError('invalid_request', `access: ${misfit}`)
}
