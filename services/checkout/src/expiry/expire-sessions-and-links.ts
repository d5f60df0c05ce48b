import { type Database, type Emit, isDatabaseUnavailable, type Tx, tracedApart } from '@cobro/database'
import { inCall, inNewTrace, type Logger, runConcurrently } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { isOpen, type Payable, payableEntity } from '../payables/payable.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import { PaymentAttemptEntity } from '../payment-attempts/payment-attempt-entity.ts'

const batch = 500
/** How many one transaction expires: a thousand that fall due together took three replicas 12 s one by one. */
const together = 50
const concurrency = 4

/**
 * Expires the sessions and links whose time has run out and which no payment freezes, until none is left. Any number of
 * replicas may do it: the lock on a row decides which one expires it, and the others pass it over.
 */
export async function expireSessionsAndLinks(db: Database, logger: Logger): Promise<void> {
  for (let more = true; more; ) {
    const due = await duePayables(db)
    let done = 0
    for (const ids of shuffled(chunksOf(due))) done += await expireChunk(db, ids, logger)
    more = due.length === batch && done > 0
  }
}

async function duePayables(db: Database): Promise<string[]> {
  const { schema } = db
  const rows = await db.read(em =>
    em.execute<{ id: string }[]>(
      `select id from (
         select id, expires_at from ${schema}.checkout_sessions where status = 'pending' and expires_at <= now()
         union all
         select id, expires_at from ${schema}.payment_links where status = 'active' and expires_at <= now()
       ) due
       where not exists (
         select from ${schema}.payment_attempts a where a.payable_id = due.id and a.status = 'running')
       order by expires_at limit ${batch}`,
    ),
  )
  return rows.map(({ id }) => id)
}

/** Sessions and links apart, since each chunk is of one table. */
function chunksOf(ids: readonly string[]): string[][] {
  const chunks = [...Map.groupBy(ids, payableEntity).values()].map(of =>
    Array.from({ length: Math.ceil(of.length / together) }, (_, at) => of.slice(at * together, (at + 1) * together)),
  )
  return chunks.flat()
}

/** Replicas that all began with the same chunk would stand in one another's way. */
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map(item => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Gives how many it expired. One that cannot be keeps the others of its chunk from their turn, so that they are taken one by one. */
async function expireChunk(db: Database, ids: string[], logger: Logger): Promise<number> {
  try {
    return await db.write((tx, emit) => expireAll(tx, emit, ids))
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    logger.warn({ err: error }, 'sessions or links could not be expired together')
    const options = { concurrency, name: 'expire sessions and links', logger }
    let done = 0
    await runConcurrently(ids, options, async id => {
      const expired = await db.write((tx, emit) => expireAll(tx, emit, [id]))
      done += expired
    })
    return done
  }
}

async function expireAll(tx: Tx, emit: Emit, ids: string[]): Promise<number> {
  const [first = ''] = ids
  const rows = await tx.find(
    payableEntity(first),
    { id: { $in: ids } },
    { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE, orderBy: { id: 'asc' } },
  )
  // Only now: an attempt is begun under the same lock, so that none can begin any more.
  const attempts = await tx.find(PaymentAttemptEntity, {
    payable_id: { $in: rows.map(({ id }) => id) },
    status: 'running',
  })
  const frozen = new Set(attempts.map(attempt => attempt.payable_id))
  const now = new Date()
  const due = rows.filter(row => isOpen(row) && row.expires_at <= now && !frozen.has(row.id))
  const traced = tracedApart(emit)
  for (const payable of due) await expire(traced, payable, now)
  return due.length
}

/** Each in a trace and under ids of its own, though they share a transaction. What was opened is the cause. */
function expire(emit: Emit, payable: Payable, now: Date): Promise<void> {
  const { merchant_id, correlation_id, traceparent } = payable
  return inNewTrace('expire payable', { links: [{ traceparent }] }, () =>
    inCall({ merchant_id, correlation_id }, async () => void transitionPayable(emit, payable, 'expire', now)),
  )
}
