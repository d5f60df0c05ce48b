import { type Database, type Emit, emitInCurrentTrace, isDatabaseUnavailable, type Tx } from '@cobro/database'
import { claimAndProcess, groupCommit, inBackgroundCall, type Logger } from '@cobro/runtime'
import { type EntitySchema, LockMode } from '@mikro-orm/core'
import { openPayableStatuses, type Payable, payableEntity } from '../payables/payable.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import { byPartialIndex } from '../payment-attempts/find-payment-attempts.ts'
import { PaymentAttemptEntity } from '../payment-attempts/payment-attempt-entity.ts'
import { sqlStatuses, unresolvedStatuses } from '../payment-attempts/payment-attempt-states.ts'

/** Rows per transaction. One by one, three replicas took 12 s for a thousand rows due together. */
const concurrency = 50
const batch = 500

/**
 * Expires the due sessions and links that have no running payment, until none is left.
 * Any number of replicas may run this concurrently: each skips the rows that another one has locked.
 * If one row fails, the others of its transaction still expire.
 */
export function expireSessionsAndLinks(db: Database, logger: Logger, stopping: AbortSignal): Promise<void> {
  const write = (ids: Payable['id'][]) => db.write((tx, emit) => expireAll(tx, emit, ids))
  const isUnavailable = isDatabaseUnavailable
  const expire = groupCommit({ write, isUnavailable })
  const claim = (limit: number) => findDue(db, limit)
  const options = { name: 'expire sessions and links', claim, batch, concurrency, stopping, isUnavailable, logger }
  return claimAndProcess(options, async id => !stopping.aborted && (await expire(id)))
}

async function findDue(db: Database, limit: number): Promise<Payable['id'][]> {
  const { schema } = db
  const rows = await db.execute<{ id: Payable['id'] }>(
    `select id from (
       select id, expires_at from ${schema}.checkout_sessions where status = 'pending' and expires_at <= now()
       union all
       select id, expires_at from ${schema}.payment_links where status = 'active' and expires_at <= now()
     ) due
     where not exists (
       select from ${schema}.payment_attempts a
       where a.payable_id = due.id and a.status in (${sqlStatuses(unresolvedStatuses)}))
     order by expires_at limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

/** Expires what is due of sessions and links. Returns for each id whether it expired. */
async function expireAll(tx: Tx, emit: Emit, ids: Payable['id'][]): Promise<boolean[]> {
  const expired = new Set<Payable['id']>()
  for (const [entity, ofTable] of Map.groupBy(ids, payableEntity))
    for (const { id } of await expireRows(tx, emit, entity, ofTable)) expired.add(id)
  return ids.map(id => expired.has(id))
}

async function expireRows(tx: Tx, emit: Emit, entity: EntitySchema<Payable>, ids: Payable['id'][]): Promise<Payable[]> {
  const now = new Date()
  // Reads neither rows that another replica has locked nor those that it has expired meanwhile.
  const rows = await tx.find(
    entity,
    { id: { $in: ids }, status: { $in: openPayableStatuses }, expires_at: { $lte: now } },
    { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE, orderBy: { id: 'asc' } },
  )
  // Read after the lock, under which attempts begin, so that no new one can begin.
  const locked = { payable_id: { $in: rows.map(({ id }) => id) } }
  const attempts = await tx.find(
    PaymentAttemptEntity,
    { ...locked, status: { $in: unresolvedStatuses } },
    byPartialIndex,
  )
  const frozen = new Set(attempts.map(attempt => attempt.payable_id))
  const due = rows.filter(row => !frozen.has(row.id))
  const emitInOwnTrace = emitInCurrentTrace(emit)
  for (const payable of due)
    await inBackgroundCall('expire payable', payable, () => transitionPayable(emitInOwnTrace, payable, 'expire', now))
  return due
}
