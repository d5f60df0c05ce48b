import type { Database } from '@cobro/database'
import { maxTimeDriftMs } from '../events/audit-record.ts'

/** How far the clocks of our own machines are trusted to be apart at most. */
const maxClocksApartMs = 86_400_000

/**
 * A place before all events of a UTC day and later ones: the end of the log before any of them can have been appended. An event is
 * appended after its id was made, and the id is within a day of its time.
 */
export async function seqBeforeDay(db: Database, day: string): Promise<number> {
  const before = new Date(Date.parse(day) - maxTimeDriftMs - maxClocksApartMs).toISOString()
  const select = 'select size from audit.checkpoints where created_at < ?::timestamptz order by created_at desc limit 1'
  const [row] = await db.read(em => em.execute<{ size: string }[]>(select, [before]))
  return Number(row?.size ?? 0)
}
