import { ApiError, type Caller, widestAccess } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { UserRow } from './user-entity.ts'

/** Serializes user changes, so that two users cannot both succeed in disabling each other. */
export async function lockUserChanges(tx: Tx, schema: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`users:${schema}`])
}

/**
 * Throws a 409 if a change would take rights from the caller itself, from the last admin of all merchants, or, where an owner
 * makes it, from the last owner of the merchant. An operator may take those, for instance of a merchant that leaves.
 */
export async function rejectLosingLastUser(tx: Tx, schema: string, caller: Caller, user: UserRow): Promise<void> {
  if ('id' in caller && caller.id === user.id) {
    throw new ApiError('conflict', 'users cannot disable, delete or rescope themselves, or change their own access')
  }
  if (user.status !== 'active' || user.access !== widestAccess(user.role)) return
  if (user.merchants === 'all' && !(await hasOther(tx, schema, user, `merchants = '"all"'`))) {
    throw new ApiError('conflict', 'this is the last admin of all merchants')
  }
  if (caller.kind === 'client' && !(await hasOther(tx, schema, user, 'merchant_id = ?', user.merchant_id))) {
    throw new ApiError('conflict', 'this is the last owner of the merchant')
  }
}

/** Returns whether another active user with the same access meets a condition. */
async function hasOther(tx: Tx, schema: string, user: UserRow, condition: string, ...values: unknown[]) {
  const others = await tx.execute(
    `select 1 from ${schema}.users where status = 'active' and access = ? and id <> ? and ${condition} limit 1`,
    [user.access, user.id, ...values],
  )
  return others.length > 0
}
