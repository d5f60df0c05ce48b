import { ApiError } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import type { UserRow } from '../users/user-entity.ts'
import { countFailedLogin } from './count-failed-login.ts'

/** Records a failed attempt to prove to be a user, who may not exist, and throws a 401. */
export async function rejectAttempt(db: Database, user: UserRow | null, attempt: string): Promise<never> {
  await db.write(async (_tx, emit) => {
    emit('auth.login_failed', { id: user?.id ?? null }, { merchant_id: user?.merchant_id ?? null })
  })
  await countFailedLogin(db, attempt, user !== null)
  throw new ApiError('unauthorized')
}
