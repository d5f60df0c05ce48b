import type { Database } from './open-database.ts'
import type { Road } from './outbox.ts'
import { registerOutboxMetrics } from './outbox-metrics.ts'

/** A stored message as the relay reads it: the bytes are published as they are. */
export interface OutboxRow {
  id: string
  message_id: string
  road: Road
  name: string
  correlation_id: string | null
  body: Buffer
  trace: { traceparent?: string; baggage?: string }
}

/** What the relay asks of a schema's outbox. */
export interface OutboxReader {
  /** Becomes the one leader, or gives undefined while another process leads. `lost` is called when the lead is gone. */
  lead(lost: () => void): Promise<{ resign(): Promise<void> } | undefined>
  /** The oldest stored messages. The order is that of insertion, not of commit: a row may turn up below one already taken. */
  take(limit: number): Promise<OutboxRow[]>
  /** Forgets messages that the broker has confirmed. */
  remove(ids: string[]): Promise<void>
  onMessages(listener: () => void): void
}

/** The outbox of a database, for its relay. What waits in it is measured. */
export function outboxReader(db: Database): OutboxReader {
  const table = `${db.schema}.outbox`
  registerOutboxMetrics(db)
  return {
    lead: lost => lead(db, lost),
    take: limit =>
      db.read(em =>
        em.execute<OutboxRow[]>(
          `select id, message_id, road, name, correlation_id, body, trace from ${table} order by id limit ?`,
          [limit],
        ),
      ),
    remove: async ids =>
      void (await db.read(em =>
        em.execute(`delete from ${table} where id = any(?::bigint[])`, [`{${ids.join(',')}}`]),
      )),
    onMessages: db.onMessages,
  }
}

/** Leadership is a session's advisory lock: it ends with the connection, so a dead leader never blocks the next. */
async function lead(db: Database, lost: () => void) {
  const pool = await db.orm.em.getConnection().getNativeClient()
  const client = await pool.connect()
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    client.release(true)
  }
  try {
    const { rows } = await client.query(`select pg_try_advisory_lock(hashtextextended($1, 0)) as leads`, [
      `outbox:${db.schema}`,
    ])
    if (!rows[0].leads) return void client.release()
  } catch (error) {
    end()
    throw error
  }
  client.on('error', () => {
    end()
    lost()
  })
  return {
    // Unlocked by word, since a connection that is only dropped holds the lock until the server notices.
    resign: async () => {
      await client.query('select pg_advisory_unlock_all()').catch(() => undefined)
      end()
    },
  }
}
