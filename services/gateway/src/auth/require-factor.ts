import { ApiError, type RowOf, type users } from '@cobro/contracts'
import { hasFactor } from '../second-factor/check-code.ts'
import type { UserRow } from '../users/user-entity.ts'
import { issueMfaToken } from './mfa-token.ts'
import type { LoginDeps, MfaPolicy } from './user-login.ts'

/** Returns whether a deployment asks the users of a role for a second factor. */
export function requiresFactor(policy: MfaPolicy, role: RowOf<typeof users>['role']): boolean {
  return policy === 'all' || (policy === 'operators' && role === 'operator')
}

/**
 * Throws a 401 `mfa_required` for a user whose password was right and who has a second factor or has to have one. It is no failed
 * attempt.
 */
export async function requireFactor({ db, mfa }: LoginDeps, user: UserRow): Promise<void> {
  const enabled = await db.read(em => hasFactor(em, user.id))
  if (!enabled && !requiresFactor(mfa, user.role)) return
  const mfa_token = await issueMfaToken(user)
  const path = enabled ? '/api/auth/login/factor' : '/api/auth/login/factor/setup'
  throw new ApiError('mfa_required', `continue at POST ${path}`, {
    mfa: { mfa_token, ...(enabled ? {} : { mfa_setup: true as const }) },
  })
}
