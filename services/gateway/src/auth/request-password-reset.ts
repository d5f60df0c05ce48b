import { setTimeout as sleep } from 'node:timers/promises'
import { assignRow, type Tx } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/postgresql'
import pLimit from 'p-limit'
import { recipientOf } from '../mail/mail-outbox.ts'
import { newSetupToken, resetLifetimeMs } from '../users/issue-setup-token.ts'
import { normalEmail, UserEntity, type UserRow } from '../users/user-entity.ts'
import { canLogIn, type LoginDeps } from './user-login.ts'

/** Longer than the work usually takes, so that the time of an answer does not show which users exist. */
const answerAfterMs = 300
/** A user gets at most so many in an hour: the newest link stays valid, however often others ask. */
const maxPerHour = 3

/** Each reset needs a connection, which other calls need too. More than the backlog are dropped. */
const limited = pLimit(2)
const maxBacklog = 100

/**
 * Mails a link to set a new password to the user of an address. Does nothing, after the same time, if there is none who may
 * log in, if it has had several in the last hour, or if the deployment sends no mails. A failure is logged: the answer is the
 * same in every case.
 */
export async function requestPasswordReset(deps: LoginDeps & { logger: Logger }, email: string): Promise<void> {
  if (deps.mails.enabled && limited.pendingCount < maxBacklog)
    void limited(() => mailToken(deps, normalEmail(email))).catch(err =>
      deps.logger.error({ err }, 'a mail to reset a password could not be stored'),
    )
  await sleep(answerAfterMs)
}

function mailToken({ db, mails }: LoginDeps, email: string): Promise<void> {
  return db.write(async (tx, emit) => {
    const user = await tx.findOne(UserEntity, { email }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!user || hasIssuedToken(user) || !(await canLogIn(tx, user)) || (await hadSeveral(tx, db.schema, user))) return
    const reset = newSetupToken(resetLifetimeMs)
    // Not `credentials_since`: a stranger can ask. It changes once the user sets the password.
    assignRow(user, { ...reset.columns, updated_at: new Date() })
    await tx.flush()
    await mails.add(tx, recipientOf(user), { kind: 'password_reset', data: {} }, reset)
    emit('auth.password_reset_requested', user, { merchant_id: user.merchant_id })
  })
}

/** A stranger must not replace a token that another user issued: a user has one at a time. */
function hasIssuedToken({ password_hash, setup_expires_at }: UserRow): boolean {
  const lastsLonger = setup_expires_at !== null && setup_expires_at.getTime() > Date.now() + resetLifetimeMs
  return password_hash === null || lastsLonger
}

async function hadSeveral(tx: Tx, schema: string, { id }: UserRow): Promise<boolean> {
  const [row] = await tx.execute<{ count: number }[]>(
    `select count(*)::int as count from ${schema}.mails
     where user_id = ? and kind = 'password_reset' and created_at > now() - interval '1 hour'`,
    [id],
  )
  return (row?.count ?? 0) >= maxPerHour
}
