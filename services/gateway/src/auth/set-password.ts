import { ApiError } from '@cobro/contracts'
import { assignRow, type Database, type Reader } from '@cobro/database'
import { LockMode } from '@mikro-orm/postgresql'
import { type MailOutbox, recipientOf } from '../mail/mail-outbox.ts'
import { endLogins } from '../refresh-tokens/refresh-tokens.ts'
import { hashPassword } from '../secrets/password-hash.ts'
import { rejectWeakPassword } from '../secrets/reject-weak-password.ts'
import { tokenHash } from '../secrets/secret-tokens.ts'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import { checkThrottled, recordLoginSuccess } from './login-failures.ts'
import { canLogIn, runAsUser } from './user-login.ts'

/**
 * Sets a user's password with a setup token and ends all of the user's logins. Every invalid token,
 * including that of a disabled user, gets the same 401 and counts as a failed login.
 */
export function setPassword(
  { db, mails }: { db: Database; mails: MailOutbox },
  input: { token: string; password: string; address: string | null },
): Promise<UserRow> {
  const source = { account: input.token, address: input.address ?? 'unknown' }
  return checkThrottled(db, source, async () => {
    const hash = tokenHash(input.token)
    const known = await db.read(em => findSetupTokenUser(em, hash))
    if (!known) return rejectAttempt(db)
    await rejectWeakPassword(input.password, known.email)
    const password_hash = await hashPassword(input.password)
    return db.write(async (tx, emit) => {
      const user = await findSetupTokenUser(tx, hash, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // Another request has used the token in the meantime.
      if (!user) throw new ApiError('unauthorized')
      const now = new Date()
      const hadPassword = user.password_hash !== null
      const used = { setup_token_hash: null, setup_expires_at: null }
      assignRow(user, { password_hash, ...used, credentials_since: now, updated_at: now })
      await endLogins(tx, user.id)
      await recordLoginSuccess(tx, db.schema, { account: user.email, address: source.address })
      runAsUser(user, () => emit('auth.password_set', user))
      // A token that another user issued must not take over an account silently.
      const data = { at: now.toISOString(), address: input.address }
      if (hadPassword) await mails.add(tx, recipientOf(user), { kind: 'password_changed', data })
      return user
    })
  })
}

/** Finds the user of a valid setup token, provided that the user may log in. */
async function findSetupTokenUser(em: Reader, setup_token_hash: string, lock = {}): Promise<UserRow | null> {
  const user = await em.findOne(UserEntity, { setup_token_hash, setup_expires_at: { $gt: new Date() } }, lock)
  return user && (await canLogIn(em, user)) ? user : null
}

async function rejectAttempt(db: Database): Promise<never> {
  await db.write(async (_tx, emit) => {
    emit('auth.password_refused', { id: null })
  })
  throw new ApiError('unauthorized')
}
