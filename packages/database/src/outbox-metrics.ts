import { type Measurement, observeGauge } from '@cobro/runtime'
import type { Database } from './open-database.ts'

/** Further ones are not counted: a backlog of millions must not cost more with each look at it. */
const countLimit = 10_000

/** Has the messages that wait in an outbox measured: how many, and how long the oldest has waited. Each replica says the same. */
export function registerOutboxMetrics(db: Database): void {
  const table = `${db.schema}.outbox`
  const ask = async (statement: string): Promise<Measurement[]> => {
    const [row] = await db.read(em => em.execute<{ value: number }[]>(statement))
    return [{ value: row?.value ?? 0 }]
  }
  const messages = { description: 'Messages that are not published yet, counted up to 10,000' }
  observeGauge('cobro.outbox.messages', messages, () =>
    ask(`select count(*)::integer as value from (select from ${table} limit ${countLimit}) as waiting`),
  )
  const age = { description: 'How long the oldest of them has waited', unit: 's' }
  observeGauge('cobro.outbox.age', age, () =>
    ask(`select extract(epoch from now() - created_at)::float8 as value from ${table} order by id limit 1`),
  )
}
