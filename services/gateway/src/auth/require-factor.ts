import { ApiError, type RowOf, type users } from '@cobro/contracts'
import type { Reader } from '@cobro/database'
import { hasFactor } from '../second-factor/check-code.ts'
import type { UserRow } from '../users/user-entity.ts'
import { issueMfaToken } from './mfa-token.ts'
import type { LoginDeps, MfaPolicy } from './user-login.ts'

/** Returns whether a deployment asks the users of a role for a second factor. */
export function requiresFactor(policy: MfaPolicy, role: RowOf<typeof users>['role']): boolean {
  return policy === 'all' || (policy === 'operators' && role === 'operator')
}

/** Throws a 401 for a login of a user who has to have a second factor and has none: it began before that was asked. */
export async function rejectWithoutFactor(em: Reader, mfa: MfaPolicy, user: UserRow): Promise<void> {
  if (requiresFactor(mfa, user.role) && !(await hasFactor(em, user.id))) throw new ApiError('unauthorized')
}

/**
 * Throws a 401 `mfa_required` for a user whose password was right and who has a second factor or has to have one. It is no failed
 * attempt.
 */
export async function askForFactor(
  { db, mfa }: LoginDeps,
  user: UserRow,
  { device, browser }: { device?: string | undefined; browser?: object | undefined },
): Promise<void> {
  const enabled = await db.read(em => hasFactor(em, user.id))
  if (!enabled && !requiresFactor(mfa, user.role)) return
  const mfa_token = await issueMfaToken(user, device)
  const login = `/api/auth/${browser ? 'browser/' : ''}login/factor`
  const path = enabled ? login : '/api/auth/login/factor/setup'
  throw new ApiError('mfa_required', `continue at POST ${path}`, {
    mfa: { mfa_token, ...(enabled ? {} : { mfa_setup: true as const }) },
  })
}
