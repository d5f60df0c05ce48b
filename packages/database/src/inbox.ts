import { meter } from '@cobro/runtime'
import { LRUCache } from 'lru-cache'
import { isDatabaseUnavailable, violatesConstraint } from './database-errors.ts'
import type { Database } from './open-database.ts'
import { bothInTransaction } from './open-transaction.ts'
import type { Emit, Send } from './outbox.ts'
import type { Tx } from './transaction.ts'

const retentionDays = 7
/**
 * How many recorded ids each process remembers, and for how long, so that it does not ask the database about a repetition.
 * Not longer, because the table decides again after a database lost its last commits.
 */
const remembered = { max: 5_000, ttl: 60_000 }

const duplicates = meter.createCounter('cobro_inbox_duplicates_total', {
  description: 'Messages that were received more than once',
})
// Start the series at 0: Prometheus shows no increase for a series that begins with its first event.
duplicates.add(0)

/** Makes consumers idempotent: each message takes effect once, however often it is delivered. */
export interface Inbox {
  /**
   * Runs `effect` and records the message id in the same transaction, which is never a shared one. Returns false, and changes
   * nothing, if the id is already recorded. Of concurrent deliveries to several processes each may run its effect, and one
   * commits; in the same process the others wait for the first, without a connection.
   */
  once(messageId: string, effect: (tx: Tx, emit: Emit, send: Send) => Promise<unknown>): Promise<boolean>
  /**
   * Like `once` for many messages in one statement: `effect` is SQL that follows the table expression `fresh (message_id)`
   * with the ids not yet received. Its one row has their number as `fresh`.
   */
  onceEach<Row extends { fresh: number }>(
    messageIds: string[],
    effect: string,
    params: readonly unknown[],
  ): Promise<Row>
  /** Deletes ids older than a week; no message is redelivered that late. */
  prune(): Promise<unknown>
}

/** Returns the inbox of a database for its consumers. */
export function inboxOf(db: Database): Inbox {
  const table = `${db.schema}.inbox`
  const oncePerProcess = sharedRuns()
  return {
    once: async (messageId, effect) => {
      const first = await oncePerProcess(messageId, () => recordWith(db, messageId, effect))
      if (!first) duplicates.add(1)
      return first
    },
    onceEach: async <Row extends { fresh: number }>(
      messageIds: string[],
      effect: string,
      params: readonly unknown[],
    ) => {
      const statement = `with ${freshIds(table)} ${effect}`
      const [row] = await db.execute<Row>(statement, [JSON.stringify(messageIds), ...params])
      if (!row) throw new Error('The effect of messages returned no row.')
      if (row.fresh < messageIds.length) duplicates.add(messageIds.length - row.fresh)
      return row
    },
    prune: () => db.execute(`delete from ${table} where received_at < now() - interval '${retentionDays} days'`),
  }
}

class AlreadyRecorded extends Error {}

/**
 * Runs an effect in a transaction that also records the message. The id is written at the end, together with what the effect
 * writes, and its primary key decides: a second transaction with the same id cannot commit. The table is read right after the first
 * statement of the effect. If that waited for the lock of another delivery, or if that one is done, the effect ends there.
 */
async function recordWith(db: Database, messageId: string, effect: Parameters<Inbox['once']>[1]): Promise<boolean> {
  const table = `${db.schema}.inbox`
  const find = [`select from ${table} where message_id = ?`, [messageId]] as const
  try {
    await db.writeSeparately(
      (tx, emit, send) => {
        const effected = effect(tx, emit, send)
        const looked = tx.execute<object[]>(...find).then(found => {
          if (found.length > 0) throw new AlreadyRecorded()
        })
        return bothInTransaction(looked, effected)
      },
      tx => tx.execute(`insert into ${table} (message_id) values (?)`, [messageId]),
    )
    return true
  } catch (error) {
    if (error instanceof AlreadyRecorded || violatesConstraint(error, 'inbox_pkey')) return false
    // The effect of another delivery may be why this one failed.
    const found = isDatabaseUnavailable(error) ? [] : await db.execute(...find).catch(() => [])
    if (found.length > 0) return false
    throw error
  }
}

/**
 * Returns a function that runs `record` once for each id. A second call for an id waits for the first one, and runs only if
 * that fails. Ids are remembered after the commit only: between processes, the table decides.
 */
function sharedRuns() {
  const recorded = new LRUCache<string, true>(remembered)
  const running = new Map<string, Promise<boolean>>()
  return async (id: string, record: () => Promise<boolean>): Promise<boolean> => {
    for (let other = running.get(id); other; other = running.get(id)) await other.catch(() => undefined)
    if (recorded.has(id)) return false
    const run = record()
    running.set(id, run)
    try {
      const first = await run
      recorded.set(id, true)
      return first
    } finally {
      running.delete(id)
    }
  }
}

/** Inserts in the order of the ids, so that transactions that share messages cannot deadlock. */
const freshIds = (table: string) => `
  fresh as (
    insert into ${table} (message_id)
    select id from json_array_elements_text(?::json) as given (id) order by id
    on conflict do nothing returning message_id
  )`
