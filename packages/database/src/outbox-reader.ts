import type { Database } from './open-database.ts'
import type { OutboxRow } from './outbox.ts'
import { observeQuery } from './query-metrics.ts'

/** Returns the outbox operations for the messaging package's relay; registers outbox metrics. */
export function outboxReader(db: Database) {
  const table = `${db.schema}.outbox`
  registerOutboxMetrics(db)
  return {
    lead: (lost: () => void) => lead(db, lost),
    take: (limit: number, minAgeMs: number, { only, except = [] }: { only?: string[]; except?: string[] } = {}) =>
      db.execute<OutboxRow>(
        `select id, message_id, road as exchange, name, correlation_id, body, trace from ${table}
         where created_at <= now() - ? * interval '1 millisecond'
           and ${only ? 'name = any (?::text[])' : 'name <> all (?::text[])'} order by id limit ?`,
        [minAgeMs, `{${only ?? except}}`, limit],
      ),
    remove: (ids: string[]) => db.execute(`delete from ${table} where id = any(?::bigint[])`, [`{${ids.join(',')}}`]),
    onMessages: db.onMessages,
  }
}

/** The count stops here, so that a backlog of millions does not make each scrape expensive. */
const countLimit = 10_000

/** Registers gauges for the number of messages in an outbox and the age of the oldest. */
function registerOutboxMetrics(db: Database): void {
  const table = `${db.schema}.outbox`
  const messages = { description: 'Messages in the outbox, counted up to 10,000' }
  const count = `select count(*)::integer as value from (select from ${table} limit ${countLimit}) as waiting`
  observeQuery(db, 'cobro_outbox_messages', messages, count)
  const age = { description: 'Age of the oldest message in the outbox', unit: 's' }
  const oldest = `select extract(epoch from now() - created_at)::float8 as value from ${table} order by id limit 1`
  observeQuery(db, 'cobro_outbox_oldest_age_seconds', age, oldest)
}

/** Acquires leadership: a session's advisory lock, which ends with a dead leader's connection. */
async function lead(db: Database, lost: () => void) {
  const pool = await db.orm.em.getConnection().getNativeClient()
  const client = await pool.connect()
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    client.release(true)
  }
  const lock = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as leads'
  const { rows } = await client.query(lock, [`outbox:${db.schema}`]).catch((error: unknown) => {
    end()
    throw error
  })
  if (!rows[0].leads) return void client.release()
  client.on('error', () => {
    // Who has resigned has nothing to lose: the server may still end the connection that is being closed.
    if (ended) return
    end()
    lost()
  })
  return {
    // Unlocks explicitly: a connection that is only dropped holds the lock until the server notices.
    resign: async () => {
      await client.query('select pg_advisory_unlock_all()').catch(() => undefined)
      end()
    },
  }
}
