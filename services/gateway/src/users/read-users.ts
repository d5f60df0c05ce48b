import { ApiError, type Caller, type Id, type ListQuery, users } from '@cobro/contracts'
import { type Database, listRows, type Reader } from '@cobro/database'
import { LockMode, raw } from '@mikro-orm/postgresql'
import { type OperatorScope, operatorScope, scopeCovers } from '../callers/operator-scope.ts'
import { UserEntity, type UserRow } from './user-entity.ts'

/** Returns a page of the users that the caller may manage. */
export function listUsers(db: Database, caller: Caller, query: ListQuery) {
  const columns = { search: users.search, scope: visibleUsers(caller) }
  return db.read(em => listRows(em, UserEntity, caller, query, columns))
}

/** Returns a user that the caller may manage: 404 if it does not exist, 403 if it is another's. */
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
  rejectUnmanagedUser(caller, row)
  return row
}

/**
 * Throws a 403 if a user is not the caller's to manage. An owner manages the clients of its merchant. An operator manages users
 * whose scope its own covers, so none sees an operator of more merchants.
 */
export function rejectUnmanagedUser(caller: Caller, user: Pick<UserRow, 'merchant_id' | 'merchants'>): void {
  const managed =
    caller.kind === 'client'
      ? user.merchant_id === caller.merchant_id
      : scopeCovers(operatorScope(caller), scopeOfUser(user))
  if (!managed) throw new ApiError('forbidden')
}

/** The condition that selects the users that the caller may manage. */
function visibleUsers(caller: Caller): object {
  if (caller.kind === 'client') return { merchant_id: caller.merchant_id }
  const scope = operatorScope(caller)
  if (scope === 'all') return {}
  const within = raw(alias => `(${alias}.merchants <@ ?::jsonb)`, [JSON.stringify(scope)])
  return { $or: [{ merchant_id: { $in: scope } }, { [within]: true }] }
}

/** The merchants that a user acts for. */
export function scopeOfUser({ merchant_id, merchants }: Pick<UserRow, 'merchant_id' | 'merchants'>): OperatorScope {
  return merchant_id ? [merchant_id] : (merchants ?? [])
}
