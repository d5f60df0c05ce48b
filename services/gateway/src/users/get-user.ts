import { ApiError, type Caller } from '@cobro/contracts'
import type { Reader } from '@cobro/database'
import { LockMode, raw } from '@mikro-orm/postgresql'
import { type OperatorScope, operatorScope, scopeCovers } from '../callers/operator-scope.ts'
import { UserEntity, type UserRow } from './user-entity.ts'

/**
 * Reads a user for an operator: 404 where there is none, 403 where it is outside the operator's scope. A user is within it
 * with all that it may do: an operator who may do more than the caller is none of the caller's.
 */
export async function getUser(
  em: Reader,
  caller: Caller,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<UserRow> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {}
  const row = await em.findOne(UserEntity, { id }, options)
  if (!row) throw new ApiError('not_found')
  if (!scopeCovers(operatorScope(caller), scopeOfUser(row))) throw new ApiError('forbidden')
  return row
}

/** The condition of the users that `getUser` gives an operator. */
export function visibleUsers(caller: Caller): object {
  const scope = operatorScope(caller)
  if (scope === 'all') return {}
  const within = raw(alias => `(${alias}.merchants <@ ?::jsonb)`, [JSON.stringify(scope)])
  return { $or: [{ merchant_id: { $in: scope } }, { [within]: true }] }
}

/** The merchants that a user acts for. */
export function scopeOfUser({ merchant_id, merchants }: Pick<UserRow, 'merchant_id' | 'merchants'>): OperatorScope {
  return merchant_id ? [merchant_id] : (merchants ?? [])
}
