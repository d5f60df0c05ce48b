import { ApiError } from '@cobro/contracts'
import type { Database, Reader } from '@cobro/database'
import { LockMode } from '@mikro-orm/postgresql'
import { endLogins } from '../refresh-tokens/refresh-tokens.ts'
import { hashPassword } from '../secrets/password-hash.ts'
import { tokenHash } from '../secrets/secret-tokens.ts'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import { checkThrottled, clearLoginFailures, type LoginSource, recordLoginFailure } from './login-failures.ts'
import { canLogIn, runAsUser } from './user-login.ts'

/**
 * Sets a user's password by its setup token, which is good no more afterwards, and ends the logins that there were. Whether
 * a token is wrong, used, out of date or its user disabled is not told; tries that fail are limited as those of logins.
 */
export function setPassword(
  { db }: { db: Database },
  input: { token: string; password: string; address: string | null },
): Promise<UserRow> {
  const source = { account: input.token, address: input.address ?? 'unknown' }
  return checkThrottled(db, source, async () => {
    const hash = tokenHash(input.token)
    if (!(await db.read(em => findHolder(em, hash)))) return refuse(db, source)
    const password_hash = await hashPassword(input.password)
    return db.write(async (tx, emit) => {
      const user = await findHolder(tx, hash, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // Used by somebody else since it was looked up.
      if (!user) throw new ApiError('unauthorized')
      tx.assign(user, { password_hash, setup_token_hash: null, setup_expires_at: null, updated_at: new Date() })
      await endLogins(tx, user.id)
      await clearLoginFailures(tx, db.schema, { account: user.email, address: source.address })
      runAsUser(user, () => emit('auth.password_set', user))
      return user
    })
  })
}

/** The user that a setup token is for, if it is good and the user may log in. */
async function findHolder(em: Reader, setup_token_hash: string, lock = {}): Promise<UserRow | null> {
  const user = await em.findOne(UserEntity, { setup_token_hash, setup_expires_at: { $gt: new Date() } }, lock)
  return user && (await canLogIn(em, user)) ? user : null
}

async function refuse(db: Database, source: LoginSource): Promise<never> {
  await db.write(async (tx, emit) => {
    await recordLoginFailure(tx, db.schema, source)
    emit('auth.password_refused', { id: null })
  })
  throw new ApiError('unauthorized')
}
