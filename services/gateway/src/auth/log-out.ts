import type { Database } from '@cobro/database'
import { revokeRefreshToken } from '../refresh-tokens/refresh-tokens.ts'
import { UserEntity } from '../users/user-entity.ts'
import { runAsUser } from './user-login.ts'

/** Ends a login by revoking its refresh token family. Does nothing if it has already ended. */
export async function logOut({ db }: { db: Database }, token: string): Promise<void> {
  await db.write(async (tx, emit) => {
    const userId = await revokeRefreshToken(tx, token)
    const user = userId === undefined ? null : await tx.findOne(UserEntity, { id: userId })
    if (user) runAsUser(user, () => emit('auth.logout', user))
  })
}
