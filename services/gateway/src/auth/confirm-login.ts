import { ApiError, type authOperations, type Id, type ResponseOf } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { confirmFamily, type TokenLogin } from '../refresh-tokens/refresh-tokens.ts'
import { hasFactor, useCode } from '../second-factor/check-code.ts'
import { isPassword } from '../secrets/password-hash.ts'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import { accessTokenSeconds, issueAccessToken } from './access-token.ts'
import { checkThrottled, recordLoginSuccess } from './login-failures.ts'
import { rejectAttempt } from './reject-attempt.ts'
import { rejectWithoutFactor } from './require-factor.ts'
import { canLogIn, type LoginDeps } from './user-login.ts'

type Confirmed = ResponseOf<typeof authOperations.confirm>

interface Proof {
  password: string
  code?: string | undefined
  address: string | null
}

/**
 * Returns a new access token of a login whose user has proved once more who it is. Password and code are throttled like those
 * of a login of the same device, so a stolen token does not help to guess them.
 */
export async function confirmLogin(
  deps: LoginDeps,
  { user_id, family_id }: TokenLogin,
  { password, code, address }: Proof,
): Promise<Confirmed> {
  const { db, tokens } = deps
  const user = await db.read(em => em.findOne(UserEntity, { id: user_id as Id<'usr'> }))
  if (!user || family_id === undefined) throw new ApiError('unauthorized')
  const asksForCode = await db.read(em => hasFactor(em, user.id))
  if (asksForCode && code === undefined) {
    throw new ApiError('invalid_request', 'code: required, a code of the second factor')
  }
  // A device token names the login that it came with.
  const source = { account: user.email, address: address ?? 'unknown', device: `device ${family_id}` }
  return checkThrottled(db, source, async attempt => {
    const isRight = (await isPassword(user.password_hash, password)) && (await db.read(em => canLogIn(em, user)))
    if (!isRight) return rejectAttempt(db, user, attempt)
    const family = await db.write(async (tx, emit) => {
      await rejectWithoutFactor(tx, deps.mfa, user)
      if (asksForCode && !(await useCodeOf(deps, { tx, emit }, user, code ?? ''))) return 'wrong code'
      const confirmed = await confirmFamily(tx, family_id)
      if (!confirmed) throw new ApiError('unauthorized')
      await recordLoginSuccess(tx, db.schema, source)
      emit('auth.confirmed', user)
      return confirmed
    })
    if (family === 'wrong code') return rejectAttempt(db, user, attempt)
    return { token: await issueAccessToken(tokens, user, family), token_type: 'Bearer', expires_in: accessTokenSeconds }
  })
}

async function useCodeOf(
  { encryptionKeys }: LoginDeps,
  { tx, emit }: { tx: Tx; emit: Emit },
  user: UserRow,
  code: string,
): Promise<boolean> {
  const kind = await useCode(tx, encryptionKeys, user.id, code)
  if (kind === 'recovery_code') emit('auth.recovery_code_used', user)
  return kind !== undefined
}
