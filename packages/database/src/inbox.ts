import { meter } from '@cobro/runtime'
import type { Database, Tx } from './open-database.ts'
import type { Emit, Send } from './outbox.ts'

const keptDays = 7

const duplicates = meter.createCounter('cobro.inbox.duplicates', {
  description: 'Messages that had been received before',
})

/** Makes sure that a message has its effect once, whatever the broker does. */
export interface Inbox {
  /**
   * Runs `effect` in one transaction with the note that this message was received. Gives false, and does nothing, where
   * the note is there already; a second delivery at the same time waits for the first.
   */
  once(messageId: string, effect: (tx: Tx, emit: Emit, send: Send) => Promise<void>): Promise<boolean>
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
    prune: () =>
      db.read(
        async em =>
          void (await em.execute(`delete from ${table} where received_at < now() - interval '${keptDays} days'`)),
      ),
    ping: db.ping,
  }
}
