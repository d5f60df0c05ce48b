import { ApiError, type Caller, type Id } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'
import { type MailOutbox, recipientOf } from '../mail/mail-outbox.ts'
import { endLogins, type TokenLogin } from '../refresh-tokens/refresh-tokens.ts'
import { useCode } from '../second-factor/check-code.ts'
import { confirmFactor, removeFactor } from '../second-factor/manage-factor.ts'
import { getUserRow } from '../users/read-users.ts'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import { checkThrottled } from './login-failures.ts'
import { rejectAttempt } from './reject-attempt.ts'
import { requiresFactor } from './require-factor.ts'
import type { LoginDeps } from './user-login.ts'

/** Returns the user who calls. Throws a 401 if it was deleted in the meantime. */
export async function userOf(db: Database, caller: Caller): Promise<UserRow> {
  const isUser = caller.kind === 'client' || caller.kind === 'operator'
  const user = isUser ? await db.read(em => em.findOne(UserEntity, { id: caller.id })) : null
  if (!user) throw new ApiError('unauthorized')
  return user
}

/**
 * Confirms the caller's second factor and returns its recovery codes. Ends the user's other logins, which began without one: who
 * adds a factor may fear that a password is known.
 */
export async function confirmOwnFactor(deps: LoginDeps, caller: Caller, login: TokenLogin, code: string) {
  const { db, encryptionKeys } = deps
  const user = await userOf(db, caller)
  return db.write(async (tx, emit) => {
    const codes = await confirmFactor(tx, encryptionKeys, user.id, code)
    if (!codes) throw new ApiError('invalid_request', 'code: it is wrong, or too old')
    await endLogins(tx, user.id, { except: login.family_id })
    emit('auth.factor_added', user)
    await notifyFactor(deps.mails, tx, user, { added: true })
    return codes
  })
}

/**
 * Removes the caller's second factor, for a code of it: a stolen token is not enough. Its logins go on. Returns whether it had
 * one. Throws a 409 where the deployment asks the user for one.
 */
export async function removeOwnFactor(
  { db, encryptionKeys, mfa, mails }: LoginDeps,
  caller: Caller,
  { code, address }: { code: string; address: string | null },
): Promise<boolean> {
  const user = await userOf(db, caller)
  if (requiresFactor(mfa, user.role)) throw new ApiError('conflict', 'this deployment asks for a second factor')
  const source = { account: user.email, address: address ?? 'unknown' }
  return checkThrottled(db, source, async attempt => {
    const removed = await db.write(async (tx, emit) => {
      if (!(await useCode(tx, encryptionKeys, user.id, code))) return false
      await removeFactor(tx, user.id)
      emit('auth.factor_removed', user)
      await notifyFactor(mails, tx, user, { added: false })
      return true
    })
    return removed || rejectAttempt(db, user, attempt)
  })
}

/** Removes the second factor of a user whom the caller manages, and ends its logins. Returns whether it had one. */
export function removeUserFactor(
  { db, mails }: Pick<LoginDeps, 'db' | 'mails'>,
  caller: Caller,
  id: Id<'usr'>,
): Promise<boolean> {
  if ('id' in caller && caller.id === id) {
    throw new ApiError('conflict', 'remove your own second factor at POST /api/me/factor/remove')
  }
  return db.write(async (tx, emit) => {
    const user = await getUserRow(tx, caller, id, { lock: true })
    const removed = await removeFactor(tx, id)
    if (!removed) return false
    user.credentials_since = new Date()
    await endLogins(tx, id)
    emit('auth.factor_removed', user)
    await notifyFactor(mails, tx, user, { added: false })
    return true
  })
}

/** Mails a user that its second factor was added or removed. */
export function notifyFactor(mails: MailOutbox, tx: Tx, user: UserRow, { added }: { added: boolean }): Promise<void> {
  return mails.add(tx, recipientOf(user), { kind: 'factor_changed', data: { at: new Date().toISOString(), added } })
}
