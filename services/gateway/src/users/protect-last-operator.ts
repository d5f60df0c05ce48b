import { ApiError, type Caller } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { UserRow } from './user-entity.ts'

/** Serializes user changes, so that two operators cannot both succeed in disabling each other. */
export async function lockUserChanges(tx: Tx, schema: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`users:${schema}`])
}

/** Throws a 409 if the caller or the last operator of all merchants would lose rights. */
export async function rejectLosingLastOperator(tx: Tx, schema: string, caller: Caller, user: UserRow): Promise<void> {
  if ('id' in caller && caller.id === user.id) {
    throw new ApiError('conflict', 'users cannot disable, delete or rescope themselves')
  }
  if (user.merchants !== 'all' || user.status !== 'active') return
  const others = await tx.execute(
    `select 1 from ${schema}.users where merchants = '"all"' and status = 'active' and id <> ? limit 1`,
    [user.id],
  )
  if (others.length === 0) throw new ApiError('conflict', 'this is the last operator of all merchants')
}
