import { ApiError } from '@cobro/contracts'
import { LockMode } from '@mikro-orm/postgresql'
import { useRefreshToken } from '../refresh-tokens/refresh-tokens.ts'
import { UserEntity } from '../users/user-entity.ts'
import { canLogIn, type Login, type LoginDeps, loginResponse, runAsUser } from './user-login.ts'

/** Exchanges a refresh token for a new pair of tokens. The second use of one is told to the audit log. */
export async function refreshLogin(deps: LoginDeps, token: string): Promise<Login> {
  const { user, successor } = await deps.db.write(async (tx, emit) => {
    const used = await useRefreshToken(tx, token)
    const lock = { lockMode: LockMode.PESSIMISTIC_READ }
    const user = used.kind === 'bad' ? null : await tx.findOne(UserEntity, { id: used.user_id }, lock)
    if (user && used.kind === 'reused') runAsUser(user, () => emit('auth.refresh_reused', user))
    // Thrown in here, so that the token is not spent: it is good again once the merchant is enabled again.
    if (used.kind === 'good' && !(user && (await canLogIn(tx, user)))) throw new ApiError('unauthorized')
    return { user, successor: used.kind === 'good' ? used.successor : undefined }
  })
  if (!user || successor === undefined) throw new ApiError('unauthorized')
  return loginResponse(deps, user, successor)
}
