import { ApiError } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { hasFactor, useCode } from '../second-factor/check-code.ts'
import { confirmFactor, setUpFactor } from '../second-factor/manage-factor.ts'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import { notifyFactor } from './factors-of-users.ts'
import { startLogin } from './log-in.ts'
import { checkThrottled } from './login-failures.ts'
import { subjectOf, verifyMfaToken } from './mfa-token.ts'
import { rejectAttempt } from './reject-attempt.ts'
import { canLogIn, type Login, type LoginDeps, type LoginOrigin, runAsUser } from './user-login.ts'

interface FactorInput extends LoginOrigin {
  mfa_token: string
  code: string
}

/** A login, with the recovery codes of a factor that it confirmed. */
type LoginWithFactor = Login & { recovery_codes?: string[] }

/** Completes a login with a code. A wrong code is a failed login of the user. */
export async function logInWithFactor(
  deps: LoginDeps,
  { mfa_token, code, address, browser }: FactorInput,
): Promise<LoginWithFactor> {
  const { user, device } = await loginOfToken(deps, mfa_token)
  const source = { account: user.email, address: address ?? 'unknown', device }
  return checkThrottled(deps.db, source, async attempt => {
    const proof = await runAsUser(user, () => proveByCode(deps, user, code))
    if (!proof) return rejectAttempt(deps.db, user, attempt)
    const login = await startLogin(deps, source, user, browser)
    return proof.recovery_codes ? { ...login, recovery_codes: proof.recovery_codes } : login
  })
}

/** Creates the second factor of a user who has to have one, at its login. */
export async function setUpFactorAtLogin(deps: LoginDeps, mfa_token: string) {
  const { user } = await loginOfToken(deps, mfa_token)
  return { user, factor: await setUpFactor(deps, user) }
}

/** Returns the user whose password was right, and the device. Throws a 401 for a token that is wrong or has expired. */
async function loginOfToken({ db }: LoginDeps, mfa_token: string) {
  const id = subjectOf(mfa_token)
  const user = id === undefined ? null : await db.read(em => em.findOne(UserEntity, { id }))
  const login = user?.password_hash ? await verifyMfaToken(user, mfa_token) : undefined
  if (!user || !login || !(await db.read(em => canLogIn(em, user)))) throw new ApiError('unauthorized')
  return { user, device: login.device }
}

function proveByCode(deps: LoginDeps, user: UserRow, code: string) {
  return deps.db.write(async (tx, emit) => {
    const proof = await acceptCode(deps, tx, user, code)
    if (proof?.recovery_codes) {
      emit('auth.factor_added', user)
      await notifyFactor(deps.mails, tx, user, { added: true })
    }
    if (proof?.kind === 'recovery_code') emit('auth.recovery_code_used', user)
    return proof
  })
}

/** Uses a code, or confirms with it a factor that was just set up. Returns undefined for a wrong one. */
async function acceptCode({ encryptionKeys }: LoginDeps, tx: Tx, user: UserRow, code: string) {
  if (await hasFactor(tx, user.id)) {
    const kind = await useCode(tx, encryptionKeys, user.id, code)
    return kind && { kind, recovery_codes: undefined }
  }
  const recovery_codes = await confirmFactor(tx, encryptionKeys, user.id, code)
  return recovery_codes && { kind: 'totp' as const, recovery_codes }
}
