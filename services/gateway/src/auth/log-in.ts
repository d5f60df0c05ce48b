import { ApiError } from '@cobro/contracts'
import { LockMode } from '@mikro-orm/postgresql'
import { type BrowserLimits, newRefreshToken } from '../refresh-tokens/refresh-tokens.ts'
import { isPassword } from '../secrets/password-hash.ts'
import { normalEmail, UserEntity, type UserRow } from '../users/user-entity.ts'
import { findDevice } from './device-token.ts'
import { checkThrottled, type LoginSource, recordLoginSuccess } from './login-failures.ts'
import { notifyNewDevice } from './notify-new-device.ts'
import { rejectAttempt } from './reject-attempt.ts'
import { askForFactor } from './require-factor.ts'
import { canLogIn, type Login, type LoginDeps, type LoginOrigin, loginResponse, runAsUser } from './user-login.ts'

interface LoginInput extends LoginOrigin {
  email: string
  password: string
  device_token?: string | undefined
}

export async function logIn(deps: LoginDeps, input: LoginInput): Promise<Login> {
  const { db } = deps
  const account = normalEmail(input.email)
  const findUser = () => db.read(em => em.findOne(UserEntity, { email: account }))
  const { device_token } = input
  const device = device_token === undefined ? undefined : await findDevice(await findUser(), device_token)
  const source = { account, address: input.address ?? 'unknown', device }
  return checkThrottled(db, source, async attempt => {
    const user = await findUser()
    const known = await isPassword(user?.password_hash, input.password)
    if (!user || !known || !(await db.read(em => canLogIn(em, user)))) return rejectAttempt(db, user, attempt)
    await askForFactor(deps, user, { device, browser: input.browser })
    return startLogin(deps, source, user, input.browser)
  })
}

/** Starts a login of a user who has proved who it is. */
export function startLogin(
  deps: LoginDeps,
  source: LoginSource,
  user: UserRow,
  browser?: BrowserLimits,
): Promise<Login> {
  return runAsUser(user, async () => {
    const refresh = await deps.db.write(async (tx, emit) => {
      // Locks and compares again: the user may have been disabled, deleted or given a new password since the first
      // read.
      const { id, password_hash } = user
      const lock = { lockMode: LockMode.PESSIMISTIC_READ }
      const same = await tx.findOne(UserEntity, { id, password_hash: password_hash ?? null, status: 'active' }, lock)
      if (!same) throw new ApiError('unauthorized')
      await notifyNewDevice({ mails: deps.mails, schema: deps.db.schema }, tx, user, source)
      await recordLoginSuccess(tx, deps.db.schema, source)
      emit('auth.login', user)
      return newRefreshToken(tx, user.id, browser)
    })
    return loginResponse(deps, user, refresh)
  })
}
