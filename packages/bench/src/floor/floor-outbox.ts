import type { Pool } from 'pg'
import { type Part, runStatement } from './floor-statements.ts'
import type { FloorMessage } from './floor-wiring.ts'

const flushMs = 1_000

/**
 * An outbox whose rows are published from memory once they are committed. Rows of confirmed messages
 * are deleted by the next statement, or after a second without one.
 */
export function floorOutbox(pool: Pool, schema: string, publish: (message: FloorMessage) => Promise<void>) {
  const table = `${schema}_outbox`
  let confirmed: string[] = []
  const deleteConfirmed = (): Part => {
    const ids = confirmed
    confirmed = []
    return { sql: `delete from floor.${table} where id = any($1::bigint[])`, values: [ids] }
  }
  setInterval(() => {
    if (confirmed.length > 0) void runStatement(pool, `${table}_flush`, [deleteConfirmed()])
  }, flushMs)
  const insert = (messages: readonly FloorMessage[]): Part => ({
    sql: `insert into floor.${table} (message_id, road, name, body, trace)
      select message ->> 'id', 'events', message ->> 'name', convert_to(message::text, 'utf8'), '{}'
      from jsonb_array_elements($1) as message returning id, message_id`,
    values: [JSON.stringify(messages)],
  })
  return {
    /** Stores messages with the other parts of a statement, and publishes them. Resolves when they are committed. */
    async write(name: string, parts: readonly Part[], messages: readonly FloorMessage[]): Promise<void> {
      const rows = await runStatement(pool, name, [deleteConfirmed(), ...parts, insert(messages)])
      for (const message of messages) {
        const row = rows.find(({ message_id }) => message_id === message.id)
        void publish(message).then(() => confirmed.push(String(row?.id)))
      }
    },
  }
}
