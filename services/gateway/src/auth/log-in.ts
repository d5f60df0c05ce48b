import { ApiError } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { normalEmail, UserEntity, type UserRow } from '../users/user-entity.ts'
import { forgetFailures, type LoginSource, noteFailure, refuseTooMany } from './login-limit.ts'
import { isPassword } from './password-hash.ts'
import { newRefreshToken } from './refresh-tokens.ts'
import { oneByOne } from './take-turns.ts'
import { asUser, type Login, type LoginDeps, mayLogIn, tokensOf } from './user-login.ts'

const perAddress = oneByOne()

/** Logs a user in with a password. From one address one login is judged after another, so that a burst has no more tries. */
export function logIn(
  deps: LoginDeps,
  input: { email: string; password: string; address: string | null },
): Promise<Login> {
  const source = { email: normalEmail(input.email), address: input.address ?? 'unknown' }
  return perAddress(source.address, async () => {
    await refuseTooMany(deps.db, source)
    const user = await deps.db.read(em => em.findOne(UserEntity, { email: source.email }))
    const known = await isPassword(user?.password_hash, input.password)
    if (!user || !known || !(await mayLogIn(deps, user))) return refuse(deps.db, source, user)
    return begin(deps, source, user)
  })
}

function begin(deps: LoginDeps, source: LoginSource, user: UserRow): Promise<Login> {
  return asUser(user, async () => {
    const refresh = await deps.db.write(async (tx, emit) => {
      await forgetFailures(tx, deps.db.schema, source)
      emit('auth.login', user)
      return newRefreshToken(tx, { user_id: user.id })
    })
    return tokensOf(deps, user, refresh)
  })
}

async function refuse(db: Database, source: LoginSource, user: UserRow | null): Promise<never> {
  await db.write(async (tx, emit) => {
    await noteFailure(tx, db.schema, source)
    emit('auth.login_failed', { id: user?.id ?? null }, { merchant_id: user?.merchant_id ?? null })
  })
  throw new ApiError('unauthorized')
}
