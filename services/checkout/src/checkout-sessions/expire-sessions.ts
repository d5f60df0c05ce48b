import type { Database } from '@cobro/database'
import { inCall, inNewTrace } from '@cobro/runtime'
import { lockSession } from './lock-session.ts'
import { moveSession } from './move-session.ts'

const batch = 100

/**
 * Expires the sessions whose time has run out and which no payment freezes. Any number of replicas may do it: the session's
 * row decides which one expires it, and its events are in the same transaction.
 */
export async function expireSessions(db: Database): Promise<number> {
  const due = await db.read(em =>
    em.execute<{ id: string; merchant_id: string; correlation_id: string }[]>(
      `select id, merchant_id, correlation_id from ${db.schema}.checkout_sessions s
       where status = 'pending' and expires_at <= now() and not exists (
         select from ${db.schema}.payment_attempts a where a.payable_id = s.id and a.status = 'running')
       order by expires_at limit ${batch}`,
    ),
  )
  for (const { id, ...about } of due) {
    await inNewTrace('expire session', {}, () => inCall(about, () => expireSession(db, id)))
  }
  return due.length
}

function expireSession(db: Database, id: string): Promise<boolean> {
  return db.write(async (tx, emit) => {
    const session = await lockSession(tx, id)
    const frozen = await tx.execute(
      `select 1 from ${db.schema}.payment_attempts where payable_id = ? and status = 'running'`,
      [id],
    )
    const now = new Date()
    return frozen.length === 0 && session.expires_at <= now && moveSession(emit, session, 'expire', now)
  })
}
