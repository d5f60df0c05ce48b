import { isDeepStrictEqual } from 'node:util'
import { ApiError, type BodyOf, type Caller, type Id, type userOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { endLogins } from '../refresh-tokens/refresh-tokens.ts'
import { lockMerchants, rejectScopeBeyondCaller } from './check-granted-scope.ts'
import { lockUserChanges, rejectLosingLastOperator } from './protect-last-operator.ts'
import { getUserRow } from './read-users.ts'
import type { UserRow } from './user-entity.ts'

type UserChange = Pick<BodyOf<typeof userOperations.update>, 'name' | 'status' | 'merchants'>

/**
 * Changes a user in the caller's scope. Emits no event for unchanged values. Disabling or rescoping
 * ends the user's logins. A new scope also voids its setup token, whose issuer could otherwise take over that scope.
 */
export function updateUser(db: Database, caller: Caller, id: Id<'usr'>, change: UserChange): Promise<UserRow> {
  return db.write(async (tx, emit) => {
    await lockUserChanges(tx, db.schema)
    const row = await getUserRow(tx, caller, id, { lock: true })
    const { name = row.name, status = row.status, merchants = row.merchants } = change
    if (row.role === 'client' && merchants !== null) {
      throw new ApiError('invalid_request', 'merchants: not for the role client')
    }
    const renamed = name !== row.name
    const disabled = status === 'disabled' && row.status === 'active'
    const rescoped = !isDeepStrictEqual(merchants, row.merchants)
    if (!renamed && status === row.status && !rescoped) return row
    if (disabled || rescoped) await rejectLosingLastOperator(tx, db.schema, caller, row)
    if (rescoped && merchants !== null) {
      rejectScopeBeyondCaller(caller, merchants)
      await lockMerchants(tx, merchants)
    }
    if (disabled || rescoped) await endLogins(tx, id)
    if (rescoped) tx.assign(row, { setup_token_hash: null, setup_expires_at: null })
    tx.assign(row, { name, status, merchants, updated_at: new Date() })
    emit('user.updated', row)
    return row
  })
}
