import { ApiError, type Caller, type CreateUser, newId, widestAccess } from '@cobro/contracts'
import { type Database, newRow, violatesConstraint } from '@cobro/database'
import type { Environment } from '@cobro/runtime'
import { type MailOutbox, recipientOf } from '../mail/mail-outbox.ts'
import { hashPassword } from '../secrets/password-hash.ts'
import { rejectWeakPassword } from '../secrets/reject-weak-password.ts'
import { newSetupToken } from './issue-setup-token.ts'
import { lockMerchants } from './lock-merchants.ts'
import { rejectUnmanagedUser, scopeOfUser } from './read-users.ts'
import { UserEntity } from './user-entity.ts'

export interface NewUserDeps {
  db: Database
  mails: MailOutbox
  environment: Environment
}

/**
 * Creates a user that the caller may manage, with the given password or with a token to set one. The token is sent by mail;
 * without mail, and in the sandbox, it is returned. By default the user has the widest access of its role.
 */
export async function createUser({ db, mails, environment }: NewUserDeps, caller: Caller, input: CreateUser) {
  const { email, name = null, role, merchant_id = null, merchants = null, password } = input
  const { access = widestAccess(role) } = input
  rejectUnmanagedUser(caller, { merchant_id, merchants })
  if (password !== undefined) await rejectWeakPassword(password, email)
  const setup = newSetupToken()
  const credential = password === undefined ? setup.columns : { password_hash: await hashPassword(password) }
  const now = new Date()
  const storing = db.write(async (tx, emit) => {
    await lockMerchants(tx, scopeOfUser({ merchant_id, merchants }))
    const row = newRow(tx, UserEntity, {
      id: newId('usr'),
      ...{ email, name, role, access, merchant_id, merchants },
      ...credential,
      ...{ status: 'active', credentials_since: now, created_at: now, updated_at: now },
    })
    await tx.flush()
    emit('user.created', row)
    if (password === undefined) await mails.add(tx, recipientOf(row), { kind: 'setup', data: {} }, setup)
    return row
  })
  const data = await storing.catch(error => {
    throw violatesConstraint(error, 'users_email') ? new ApiError('conflict', 'email: already in use') : error
  })
  const isShown = password === undefined && (!mails.enabled || environment === 'sandbox')
  return isShown ? { data, setup_token: setup.token } : { data }
}
