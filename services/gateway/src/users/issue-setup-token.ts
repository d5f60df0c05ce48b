import type { Caller } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { getUserRow } from './read-users.ts'
import { newSetupToken } from './setup-token.ts'
import type { UserRow } from './user-entity.ts'

/** Issues a token with which a user sets a new password. The current password works until then. */
export function issueSetupToken(
  db: Database,
  caller: Caller,
  id: string,
): Promise<{ user: UserRow; setup_token: string }> {
  const { token, columns } = newSetupToken()
  return db.write(async (tx, emit) => {
    const user = await getUserRow(tx, caller, id, { lock: true })
    tx.assign(user, { ...columns, updated_at: new Date() })
    emit('user.setup_token_issued', user)
    return { user, setup_token: token }
  })
}
