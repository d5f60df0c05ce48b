import type { Database } from '@cobro/database'
import { each, inCall, inNewTrace, type Logger } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { findRunningAttempt } from '../payment-attempts/attempt-entity.ts'
import { moveSession } from './move-session.ts'
import { SessionEntity } from './session-entity.ts'

const batch = 500
const atOnce = 8

/**
 * Expires the sessions whose time has run out and which no payment freezes, until none is left. Any number of replicas may
 * do it: the lock on a session's row decides which one expires it, and the others pass it over.
 */
export async function expireSessions(db: Database, logger: Logger): Promise<void> {
  const options = { atOnce, name: 'expire sessions', logger }
  for (let more = true; more; ) {
    const due = await dueSessions(db)
    const done = await each(due, options, ({ id, ...about }) =>
      inNewTrace('expire session', {}, () => inCall(about, () => expireSession(db, id))),
    )
    more = due.length === batch && done > 0
  }
}

function dueSessions(db: Database): Promise<{ id: string; merchant_id: string; correlation_id: string }[]> {
  return db.read(em =>
    em.execute(
      `select id, merchant_id, correlation_id from ${db.schema}.checkout_sessions s
       where status = 'pending' and expires_at <= now() and not exists (
         select from ${db.schema}.payment_attempts a where a.payable_id = s.id and a.status = 'running')
       order by expires_at limit ${batch}`,
    ),
  )
}

function expireSession(db: Database, id: string): Promise<boolean> {
  return db.write(async (tx, emit) => {
    const skipLocked = { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE }
    const session = await tx.findOne(SessionEntity, { id }, skipLocked)
    const now = new Date()
    if (!session || session.expires_at > now || (await findRunningAttempt(tx, id))) return false
    return moveSession(emit, session, 'expire', now)
  })
}
