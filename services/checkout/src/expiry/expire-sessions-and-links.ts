import { type Database, type Emit, emitInCurrentTrace, isDatabaseUnavailable, type Tx } from '@cobro/database'
import { inBackgroundCall, type Logger, runConcurrently } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { openPayableStatuses, payableEntity } from '../payables/payable.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import { PaymentAttemptEntity } from '../payment-attempts/payment-attempt-entity.ts'
import { sqlStatuses, unresolvedStatuses } from '../payment-attempts/payment-attempt-states.ts'

const batch = 500
/** The number of rows per transaction: one by one, three replicas took 12 s for a thousand rows that were due together. */
const chunkSize = 50
const concurrency = 4

/**
 * Expires the due sessions and links that have no running payment, until none is left. Any number of replicas may run this
 * concurrently: each skips the rows that another one has locked.
 * It cannot use `claimAndProcess`, because a chunk of rows is locked and expired in one transaction.
 */
export async function expireSessionsAndLinks(db: Database, logger: Logger): Promise<void> {
  for (let more = true; more; ) {
    const due = await findDue(db)
    let expired = 0
    for (const ids of chunksOf(due)) expired += await expireChunk(db, ids, logger)
    more = due.length === batch && expired > 0
  }
}

async function findDue(db: Database): Promise<string[]> {
  const { schema } = db
  const rows = await db.execute<{ id: string }>(
    `select id from (
       select id, expires_at from ${schema}.checkout_sessions where status = 'pending' and expires_at <= now()
       union all
       select id, expires_at from ${schema}.payment_links where status = 'active' and expires_at <= now()
     ) due
     where not exists (
       select from ${schema}.payment_attempts a
       where a.payable_id = due.id and a.status in (${sqlStatuses(unresolvedStatuses)}))
     order by expires_at limit ${batch}`,
  )
  return rows.map(({ id }) => id)
}

/** Splits ids into chunks of one table each. */
function chunksOf(ids: readonly string[]): string[][] {
  return [...Map.groupBy(ids, payableEntity).values()].flatMap(ofTable =>
    Array.from({ length: Math.ceil(ofTable.length / chunkSize) }, (_, at) =>
      ofTable.slice(at * chunkSize, (at + 1) * chunkSize),
    ),
  )
}

/** Expires a chunk and returns the number of expired rows. If one row fails, the others are expired one by one. */
async function expireChunk(db: Database, ids: string[], logger: Logger): Promise<number> {
  try {
    return await db.write((tx, emit) => expireAll(tx, emit, ids))
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    logger.warn({ err: error }, 'a chunk of sessions or links could not be expired together')
    let expired = 0
    await runConcurrently(ids, { concurrency, name: 'expire sessions and links', logger }, async id => {
      const count = await db.write((tx, emit) => expireAll(tx, emit, [id]))
      expired += count
    })
    return expired
  }
}

async function expireAll(tx: Tx, emit: Emit, ids: string[]): Promise<number> {
  const [first = ''] = ids
  const now = new Date()
  // Reads neither rows that another replica has locked nor those that it has expired meanwhile.
  const rows = await tx.find(
    payableEntity(first),
    { id: { $in: ids }, status: { $in: openPayableStatuses }, expires_at: { $lte: now } },
    { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE, orderBy: { id: 'asc' } },
  )
  if (rows.length === 0) return 0
  // Read after the lock, under which attempts begin, so that no new one can begin.
  const locked = { payable_id: { $in: rows.map(({ id }) => id) } }
  const attempts = await tx.find(PaymentAttemptEntity, { ...locked, status: { $in: unresolvedStatuses } })
  const frozen = new Set(attempts.map(attempt => attempt.payable_id))
  const due = rows.filter(row => !frozen.has(row.id))
  const emitInOwnTrace = emitInCurrentTrace(emit)
  for (const payable of due)
    await inBackgroundCall('expire payable', payable, () => transitionPayable(emitInOwnTrace, payable, 'expire', now))
  return due.length
}
