import { meter } from '@cobro/runtime'
import type { Database } from './open-database.ts'
import type { Emit, Send } from './outbox.ts'
import type { Tx } from './transaction.ts'

const retentionDays = 7

const duplicates = meter.createCounter('cobro_inbox_duplicates_total', {
  description: 'Messages that were received more than once',
})
// Start the series at 0: Prometheus shows no increase for a series that begins with its first event.
duplicates.add(0)

/** Makes consumers idempotent: each message takes effect once, however often it is delivered. */
export interface Inbox {
  /**
   * Records the message id and runs `effect` in the same transaction.
   * Returns false without running it if the id is already recorded. A concurrent delivery waits for the first.
   */
  once(messageId: string, effect: (tx: Tx, emit: Emit, send: Send) => Promise<unknown>): Promise<boolean>
  /** Like `once` for many messages in one transaction: passes `effect` the ids not yet received. */
  onceEach(messageIds: string[], effect: (tx: Tx, fresh: Set<string>) => Promise<void>): Promise<void>
  /** Deletes ids older than a week; no message is redelivered that late. */
  prune(): Promise<unknown>
}

/** Returns the inbox of a database for its consumers. */
export function inboxOf(db: Database): Inbox {
  const table = `${db.schema}.inbox`
  return {
    once: async (messageId, effect) => {
      const first = await db.write(async (tx, emit, send) => {
        const recorded = await tx.execute(
          `insert into ${table} (message_id) values (?) on conflict do nothing returning 1`,
          [messageId],
        )
        if (recorded.length === 0) return false
        await effect(tx, emit, send)
        return true
      })
      if (!first) duplicates.add(1)
      return first
    },
    onceEach: async (messageIds, effect) => {
      const count = await db.write(async tx => {
        const recorded = await tx.execute<{ message_id: string }[]>(insertNewIds(table), [JSON.stringify(messageIds)])
        if (recorded.length > 0) await effect(tx, new Set(recorded.map(row => row.message_id)))
        return recorded.length
      })
      if (count < messageIds.length) duplicates.add(messageIds.length - count)
    },
    prune: () => db.execute(`delete from ${table} where received_at < now() - interval '${retentionDays} days'`),
  }
}

/** Inserts in the order of the ids, so that transactions that share messages cannot deadlock. */
const insertNewIds = (table: string) => `
  insert into ${table} (message_id)
  select id from json_array_elements_text(?::json) as given (id) order by id
  on conflict do nothing returning message_id`
