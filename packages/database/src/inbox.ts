import { meter } from '@cobro/runtime'
import { executeBound } from './execute-bound.ts'
import type { Database } from './open-database.ts'
import type { Emit, Send } from './outbox.ts'
import type { Tx } from './transaction.ts'

const keptDays = 7

const duplicates = meter.createCounter('cobro_inbox_duplicates_total', {
  description: 'Messages that were received more than once',
})
// What is rare is to be there as nought before it happens: a series that begins with it would show no increase.
duplicates.add(0)

/** Makes sure that a message has its effect once, whatever the broker does. */
export interface Inbox {
  /**
   * Runs `effect` in one transaction with the note that this message was received. Gives false, and does nothing, where
   * the note is there already; a second delivery at the same time waits for the first.
   */
  once(messageId: string, effect: (tx: Tx, emit: Emit, send: Send) => Promise<void>): Promise<boolean>
  /** As `once`, for many messages in one transaction: `effect` is told which of them had not been received before. */
  onceEach(messageIds: string[], effect: (tx: Tx, fresh: Set<string>) => Promise<void>): Promise<void>
  /** Forgets messages older than a week; none comes that late again. */
  prune(): Promise<void>
  /** Fails unless the database answers. */
  ping(): Promise<void>
}

/** The inbox of a database, for its consumers. */
export function inboxOf(db: Database): Inbox {
  const table = `${db.schema}.inbox`
  return {
    once: async (messageId, effect) => {
      const first = await db.write(async (tx, emit, send) => {
        const noted = await tx.execute(
          `insert into ${table} (message_id) values (?) on conflict do nothing returning 1`,
          [messageId],
        )
        if (noted.length === 0) return false
        await effect(tx, emit, send)
        return true
      })
      if (!first) duplicates.add(1)
      return first
    },
    onceEach: async (messageIds, effect) => {
      const count = await db.write(async tx => {
        const noted = await executeBound<{ message_id: string }>(tx, noteAll(table), [JSON.stringify(messageIds)])
        if (noted.length > 0) await effect(tx, new Set(noted.map(row => row.message_id)))
        return noted.length
      })
      if (count < messageIds.length) duplicates.add(messageIds.length - count)
    },
    prune: () =>
      db.read(
        async em =>
          void (await em.execute(`delete from ${table} where received_at < now() - interval '${keptDays} days'`)),
      ),
    ping: db.ping,
  }
}

/** In the order of the ids, so that two transactions with some of the same messages never wait for each other in a circle. */
const noteAll = (table: string) => `
  insert into ${table} (message_id)
  select id from json_array_elements_text($1::json) as given (id) order by id
  on conflict do nothing returning message_id`
