import { ApiError } from '@cobro/contracts'
import { LockMode } from '@mikro-orm/postgresql'
import { useRefreshToken } from '../refresh-tokens/refresh-tokens.ts'
import { UserEntity } from '../users/user-entity.ts'
import { rememberAddress } from './login-failures.ts'
import { rejectWithoutFactor } from './require-factor.ts'
import { canLogIn, type Login, type LoginDeps, type LoginOrigin, loginResponse, runAsUser } from './user-login.ts'

/** Exchanges a refresh token for new tokens. Emits `auth.refresh_reused` if it was used before. */
export async function refreshLogin(
  deps: LoginDeps,
  input: LoginOrigin & { refresh_token: string; address: string },
): Promise<Login> {
  const { user, successor } = await deps.db.write(async (tx, emit) => {
    const used = await useRefreshToken(tx, deps.db.schema, input.refresh_token, input.browser)
    const lock = { lockMode: LockMode.PESSIMISTIC_READ }
    const user = used.kind === 'bad' ? null : await tx.findOne(UserEntity, { id: used.user_id }, lock)
    if (user && used.kind === 'reused') runAsUser(user, () => emit('auth.refresh_reused', user))
    // Throws inside the transaction, so that the token stays unused and works again once the merchant is enabled.
    if (used.kind !== 'good') return { user, successor: undefined }
    if (!(user && (await canLogIn(tx, user)))) throw new ApiError('unauthorized')
    await rejectWithoutFactor(tx, deps.mfa, user)
    await rememberAddress(tx, deps.db.schema, { account: user.email, address: input.address })
    return { user, successor: used.successor }
  })
  if (!user || successor === undefined) throw new ApiError('unauthorized')
  return loginResponse(deps, user, successor)
}
