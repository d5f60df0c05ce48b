import { lowestId } from '@cobro/contracts'
import { maxTimeDriftMs } from './audit-record.ts'

const dayMs = 86_400_000

/**
 * Returns the range of ids that events of these UTC days can have, so that Postgres reads no other
 * month. The time of an event is within a day of the time in its id.
 */
export function eventIdRange({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return {
    lowest: from === undefined ? undefined : lowestAt(Date.parse(from) - maxTimeDriftMs),
    below: to === undefined ? undefined : lowestAt(Date.parse(to) + dayMs + maxTimeDriftMs + 1),
  }
}

/** Ids start at 1970. */
const lowestAt = (atMs: number) => lowestId('evt', Math.max(0, atMs))
