import { ApiError, type authOperations, type Id, type ResponseOf } from '@cobro/contracts'
import { confirmFamily, type TokenLogin } from '../refresh-tokens/refresh-tokens.ts'
import { hasFactor, useCode } from '../second-factor/check-code.ts'
import { isPassword } from '../secrets/password-hash.ts'
import { UserEntity } from '../users/user-entity.ts'
import { accessTokenSeconds, issueAccessToken } from './access-token.ts'
import { checkThrottled, recordLoginSuccess } from './login-failures.ts'
import { rejectAttempt } from './reject-attempt.ts'
import { canLogIn, type LoginDeps } from './user-login.ts'

type Confirmed = ResponseOf<typeof authOperations.confirm>

/**
 * Returns a new access token of a login whose user has proved once more who it is. The password is throttled like that of a
 * login, so a stolen token does not help to guess it.
 */
export async function confirmLogin(
  { db, tokens, encryptionKeys }: LoginDeps,
  { user_id, family_id }: TokenLogin,
  input: { password: string; code?: string | undefined; address: string | null },
): Promise<Confirmed> {
  const user = await db.read(em => em.findOne(UserEntity, { id: user_id as Id<'usr'> }))
  if (!user || family_id === undefined) throw new ApiError('unauthorized')
  const { password, code } = input
  const needsCode = await db.read(em => hasFactor(em, user.id))
  if (needsCode && code === undefined)
    throw new ApiError('invalid_request', 'code: required, a code of the second factor')
  const source = { account: user.email, address: input.address ?? 'unknown' }
  return checkThrottled(db, source, async attempt => {
    const known = await isPassword(user.password_hash, password)
    if (!known || !(await db.read(em => canLogIn(em, user)))) return rejectAttempt(db, user, attempt)
    const proof = !needsCode || (await db.write(tx => useCode(tx, encryptionKeys, user.id, code ?? '')))
    if (!proof) return rejectAttempt(db, user, attempt)
    const family = await db.write(async (tx, emit) => {
      const confirmed = await confirmFamily(tx, family_id)
      if (!confirmed) throw new ApiError('unauthorized')
      await recordLoginSuccess(tx, db.schema, source)
      emit('auth.confirmed', user)
      return confirmed
    })
    return { token: await issueAccessToken(tokens, user, family), token_type: 'Bearer', expires_in: accessTokenSeconds }
  })
}
