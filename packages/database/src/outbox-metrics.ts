import type { Database } from './open-database.ts'
import { observeQuery } from './query-metrics.ts'

/** The count stops here, so that a backlog of millions does not make each scrape expensive. */
const countLimit = 10_000

/** Registers gauges for the number of messages in an outbox and the age of the oldest. */
export function registerOutboxMetrics(db: Database): void {
  const table = `${db.schema}.outbox`
  const messages = { description: 'Unpublished messages in the outbox, counted up to 10,000' }
  const count = `select count(*)::integer as value from (select from ${table} limit ${countLimit}) as waiting`
  observeQuery(db, 'cobro_outbox_messages', messages, count)
  const age = { description: 'Age of the oldest unpublished message in the outbox', unit: 's' }
  const oldest = `select extract(epoch from now() - created_at)::float8 as value from ${table} order by id limit 1`
  observeQuery(db, 'cobro_outbox_oldest_age_seconds', age, oldest)
}
