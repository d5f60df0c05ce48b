import type { Caller, Id } from '@cobro/contracts'
import { assignRow, type Database } from '@cobro/database'
import { newSecretToken, tokenHash } from '../secrets/secret-tokens.ts'
import { getUserRow } from './read-users.ts'

const lifetimeMs = 72 * 3_600_000
/** The lifetime of a token that someone without a login has asked for. */
export const resetLifetimeMs = 3_600_000

/** Issues a token with which a user sets a new password. The current password works until then. */
export function issueSetupToken(db: Database, caller: Caller, id: Id<'usr'>) {
  const { token, columns } = newSetupToken()
  return db.write(async (tx, emit) => {
    const user = await getUserRow(tx, caller, id, { lock: true })
    const now = new Date()
    assignRow(user, { ...columns, credentials_since: now, updated_at: now })
    emit('user.setup_token_issued', user)
    return { data: user, setup_token: token }
  })
}

/** Creates a token with which a user sets its password, and the columns to store with the user. */
export function newSetupToken(lastsMs = lifetimeMs) {
  const token = newSecretToken('setup')
  const expires_at = new Date(Date.now() + lastsMs)
  return { token, expires_at, columns: { setup_token_hash: tokenHash(token), setup_expires_at: expires_at } }
}
