import { ApiError, type Caller, type Id, type ListQuery, users } from '@cobro/contracts'
import { type Database, listRows, type Reader } from '@cobro/database'
import { LockMode, raw } from '@mikro-orm/postgresql'
import { type OperatorScope, operatorScope, scopeCovers } from '../callers/operator-scope.ts'
import { UserEntity, type UserRow } from './user-entity.ts'

/** Returns a page of the users in the operator's scope. */
export function listUsers(db: Database, caller: Caller, query: ListQuery) {
  const columns = { search: users.search, scope: visibleUsers(caller) }
  return db.read(em => listRows(em, UserEntity, caller, query, columns))
}

/**
 * Returns a user to an operator: 404 if it does not exist, 403 if it is outside the operator's
 * scope. A user is in scope only if the operator's scope covers the user's own, so no operator sees an operator of more
 * merchants.
 */
export function getUser(db: Database, caller: Caller, id: Id<'usr'>): Promise<UserRow> {
  return db.read(em => getUserRow(em, caller, id))
}

/** The same with a given reader or transaction, which can lock the row. */
export async function getUserRow(
  em: Reader,
  caller: Caller,
  id: Id<'usr'>,
  { lock = false }: { lock?: boolean } = {},
): Promise<UserRow> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {}
  const row = await em.findOne(UserEntity, { id }, options)
  if (!row) throw new ApiError('not_found')
  if (!scopeCovers(operatorScope(caller), scopeOfUser(row))) throw new ApiError('forbidden')
  return row
}

/** The condition that selects the users in the operator's scope. */
function visibleUsers(caller: Caller): object {
  const scope = operatorScope(caller)
  if (scope === 'all') return {}
  const within = raw(alias => `(${alias}.merchants <@ ?::jsonb)`, [JSON.stringify(scope)])
  return { $or: [{ merchant_id: { $in: scope } }, { [within]: true }] }
}

/** The merchants that a user acts for. */
export function scopeOfUser({ merchant_id, merchants }: Pick<UserRow, 'merchant_id' | 'merchants'>): OperatorScope {
  return merchant_id ? [merchant_id] : (merchants ?? [])
}
