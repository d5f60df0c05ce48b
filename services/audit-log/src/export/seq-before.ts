import type { Database } from '@cobro/database'
import { maxTimeDriftMs } from '../events/audit-record.ts'

/** The largest assumed difference between the clocks of our machines. */
const maxClockSkewMs = 86_400_000

/**
 * Returns a sequence number before all events from a moment on: the log's size before their ids exist.
 * An event is appended after its id is made, and its time is within a day of its id's.
 */
export async function seqBefore(db: Database, moment: Date): Promise<number> {
  const before = new Date(moment.getTime() - maxTimeDriftMs - maxClockSkewMs).toISOString()
  const select = 'select size from audit.checkpoints where created_at < ?::timestamptz order by created_at desc limit 1'
  const [row] = await db.execute<{ size: string }>(select, [before])
  return Number(row?.size ?? 0)
}
