import { lowestId } from '@cobro/contracts'
import { maxTimeDriftMs } from './audit-record.ts'

/**
 * Returns the range of ids that events between these moments can have, so that Postgres reads no
 * other month. The time of an event is within a day of the time in its id.
 */
export function eventIdRange({ from, to }: { from?: Date | undefined; to?: Date | undefined }) {
  return {
    lowest: from === undefined ? undefined : lowestAt(from.getTime() - maxTimeDriftMs),
    below: to === undefined ? undefined : lowestAt(to.getTime() + maxTimeDriftMs + 2),
  }
}

/** Ids start at 1970. */
const lowestAt = (atMs: number) => lowestId('evt', Math.max(0, atMs))
