import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { assignRow, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/postgresql'
import { recipientOf } from '../mail/mail-outbox.ts'
import { endLogins, isLoginAlive, type TokenLogin } from '../refresh-tokens/refresh-tokens.ts'
import { hashPassword } from '../secrets/password-hash.ts'
import { rejectWeakPassword } from '../secrets/reject-weak-password.ts'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import { userOf } from './factors-of-users.ts'
import { canLogIn, type LoginDeps } from './user-login.ts'

/**
 * Changes the password of the user who calls, which has confirmed its login, and ends its other logins: who changes a password may
 * fear that it is known. A token for a reset that is still open becomes invalid.
 */
export async function changePassword(
  { db, mails }: Pick<LoginDeps, 'db' | 'mails'>,
  caller: Caller,
  { family_id, password, address }: Pick<TokenLogin, 'family_id'> & { password: string; address: string | null },
): Promise<UserRow> {
  const { id, email } = await userOf(db, caller)
  await rejectWeakPassword(password, email)
  const password_hash = await hashPassword(password)
  return db.write(async (tx, emit) => {
    const user = await lockedUser(tx, id, family_id)
    const now = new Date()
    assignRow(user, { password_hash, setup_token_hash: null, setup_expires_at: null, updated_at: now })
    await endLogins(tx, id, { except: family_id })
    emit('auth.password_set', user)
    await mails.add(tx, recipientOf(user), { kind: 'password_changed', data: { at: now.toISOString(), address } })
    return user
  })
}

/** Ends all logins of the user who calls but its own. */
export async function endOtherLogins(
  { db }: Pick<LoginDeps, 'db'>,
  caller: Caller,
  { family_id }: Pick<TokenLogin, 'family_id'>,
): Promise<void> {
  const { id } = await userOf(db, caller)
  await db.write(async (tx, emit) => {
    const user = await lockedUser(tx, id, family_id)
    await endLogins(tx, id, { except: family_id })
    emit('auth.other_logins_ended', user)
  })
}

/**
 * Locks the user before its tokens, as everything does that ends logins. Throws a 401 if the user may not log in any more, or if
 * another call has ended this login since it was identified: that call may have been made because this login is a thief's.
 */
async function lockedUser(tx: Tx, id: Id<'usr'>, family_id: TokenLogin['family_id']): Promise<UserRow> {
  const user = await tx.findOne(UserEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const isAlive = family_id !== undefined && (await isLoginAlive(tx, id, family_id))
  if (!user || !isAlive || !(await canLogIn(tx, user))) throw new ApiError('unauthorized')
  return user
}
