import type { Database } from '@cobro/database'

const blockSize = 32
/** Numbers of each database that were drawn and not used yet. A restart leaves them unused. */
const drawn = new WeakMap<Database, number[]>()

/**
 * Returns an unused number of the deployment's sequence of sessions. Each process draws them in blocks, so that most sessions
 * need no statement for it. They are unique, but do not follow the time.
 */
export async function nextPaymentId(db: Database): Promise<number> {
  const numbers = drawn.get(db) ?? []
  drawn.set(db, numbers)
  const next = numbers.shift()
  if (next !== undefined) return next
  const rows = await db.execute<{ id: string }>(
    `select nextval('${db.schema}.payment_ids') as id from generate_series(1, ?::integer)`,
    [blockSize],
  )
  numbers.push(...rows.map(({ id }) => Number(id)))
  return nextPaymentId(db)
}
