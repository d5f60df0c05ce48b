import { ApiError } from '@cobro/contracts'
import { UserEntity } from '../users/user-entity.ts'
import { useRefreshToken } from './refresh-tokens.ts'
import { asUser, type Login, type LoginDeps, mayLogIn, tokensOf } from './user-login.ts'

/** Exchanges a refresh token for a new pair of tokens. The second use of one is told to the audit log. */
export async function refreshLogin(deps: LoginDeps, token: string): Promise<Login> {
  const { user, successor } = await deps.db.write(async (tx, emit) => {
    const used = await useRefreshToken(tx, token)
    const user = used.kind === 'bad' ? null : await tx.findOne(UserEntity, { id: used.user_id })
    if (user && used.kind === 'reused') asUser(user, () => emit('auth.refresh_reused', user))
    return { user, successor: used.kind === 'good' ? used.successor : undefined }
  })
  if (!user || successor === undefined || !(await mayLogIn(deps, user))) throw new ApiError('unauthorized')
  return tokensOf(deps, user, successor)
}
