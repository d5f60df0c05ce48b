import type { Database } from '@cobro/database'
import { each, inCall, inNewTrace, type Logger } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { findRunningAttempt } from '../payment-attempts/attempt-entity.ts'
import { movePayable } from './move-payable.ts'
import { isOpen, payableEntity } from './payable.ts'

const batch = 500
const atOnce = 8

/**
 * Expires the sessions and links whose time has run out and which no payment freezes, until none is left. Any number of
 * replicas may do it: the lock on a row decides which one expires it, and the others pass it over.
 */
export async function expirePayables(db: Database, logger: Logger): Promise<void> {
  const options = { atOnce, name: 'expire sessions and links', logger }
  for (let more = true; more; ) {
    const due = await duePayables(db)
    const done = await each(due, options, ({ id, ...about }) =>
      inNewTrace('expire payable', {}, () => inCall(about, () => expirePayable(db, id))),
    )
    more = due.length === batch && done > 0
  }
}

function duePayables(db: Database): Promise<{ id: string; merchant_id: string; correlation_id: string }[]> {
  const { schema } = db
  return db.read(em =>
    em.execute(
      `select id, merchant_id, correlation_id from (
         select id, merchant_id, correlation_id, expires_at from ${schema}.checkout_sessions
           where status = 'pending' and expires_at <= now()
         union all
         select id, merchant_id, correlation_id, expires_at from ${schema}.payment_links
           where status = 'active' and expires_at <= now()
       ) due
       where not exists (
         select from ${schema}.payment_attempts a where a.payable_id = due.id and a.status = 'running')
       order by expires_at limit ${batch}`,
    ),
  )
}

function expirePayable(db: Database, id: string): Promise<boolean> {
  return db.write(async (tx, emit) => {
    const skipLocked = { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE }
    const payable = await tx.findOne(payableEntity(id), { id }, skipLocked)
    const now = new Date()
    if (!payable || !isOpen(payable) || payable.expires_at > now || (await findRunningAttempt(tx, id))) return false
    return movePayable(emit, payable, 'expire', now)
  })
}
