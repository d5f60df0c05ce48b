import { idTimeMs, lowestId } from '@cobro/contracts'

/** A month of the log in UTC, such as `2025-10`, with the range of its event ids. */
export interface Month {
  name: string
  lowest: string
  below: string
}

/** Returns the month of a partition such as `audit.events_2025_10`. */
export function monthOf(partition: string): Month {
  const [year = '', month = ''] = partition.slice(-7).split('_')
  const startMs = Date.UTC(Number(year), Number(month) - 1)
  const endMs = Date.UTC(Number(year), Number(month))
  return { name: `${year}-${month}`, lowest: lowestId('evt', startMs), below: lowestId('evt', endMs) }
}

/** Returns whether a month ended at least `months` months before the month of `now`. */
export function isOlderThan({ below }: Month, months: number, now: Date): boolean {
  return idTimeMs(below) <= Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)
}
