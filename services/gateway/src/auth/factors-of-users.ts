import { ApiError, type Caller, type Id } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { endLogins } from '../refresh-tokens/refresh-tokens.ts'
import { confirmFactor, removeFactor } from '../second-factor/manage-factor.ts'
import { getUserRow } from '../users/read-users.ts'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import type { LoginDeps } from './user-login.ts'

/** Returns the user who calls. Throws a 401 if it was deleted in the meantime. */
export async function userOf(db: Database, caller: Caller): Promise<UserRow> {
  const isUser = caller.kind === 'client' || caller.kind === 'operator'
  const user = isUser ? await db.read(em => em.findOne(UserEntity, { id: caller.id })) : null
  if (!user) throw new ApiError('unauthorized')
  return user
}

/** Confirms the caller's second factor and returns its recovery codes. */
export async function confirmOwnFactor({ db, encryptionKeys }: LoginDeps, caller: Caller, code: string) {
  const user = await userOf(db, caller)
  return db.write(async (tx, emit) => {
    const codes = await confirmFactor(tx, encryptionKeys, user.id, code)
    if (!codes) throw new ApiError('invalid_request', 'code: it is wrong, or too old')
    emit('auth.factor_added', user)
    return codes
  })
}

/** Removes the caller's second factor. Its logins go on. Returns whether it had one. */
export async function removeOwnFactor(db: Database, caller: Caller): Promise<boolean> {
  const user = await userOf(db, caller)
  return db.write(async (tx, emit) => {
    const removed = await removeFactor(tx, user.id)
    if (removed) emit('auth.factor_removed', user)
    return removed
  })
}

/** Removes the second factor of a user whom the caller manages, and ends its logins. Returns whether it had one. */
export function removeUserFactor(db: Database, caller: Caller, id: Id<'usr'>): Promise<boolean> {
  return db.write(async (tx, emit) => {
    const user = await getUserRow(tx, caller, id, { lock: true })
    const removed = await removeFactor(tx, id)
    if (!removed) return false
    await endLogins(tx, id)
    emit('auth.factor_removed', user)
    return true
  })
}
