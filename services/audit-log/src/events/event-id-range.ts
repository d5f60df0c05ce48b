import { lowestId } from '@cobro/contracts'
import { maxTimeDriftMs } from './audit-record.ts'

const dayMs = 86_400_000

/**
 * The ids that events of those UTC days can have, so that Postgres looks into no other month: an event's time is within a day
 * of the one that its id carries.
 */
export function eventIdRange({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return {
    lowest: from === undefined ? undefined : lowestAt(Date.parse(from) - maxTimeDriftMs),
    below: to === undefined ? undefined : lowestAt(Date.parse(to) + dayMs + maxTimeDriftMs + 1),
  }
}

/** No id carries a time before 1970. */
const lowestAt = (atMs: number) => lowestId('evt', Math.max(0, atMs))
