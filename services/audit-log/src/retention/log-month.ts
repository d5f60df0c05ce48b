import { idTimeMs, lowestId } from '@cobro/contracts'

/** A month of the log, in UTC: its name as `2025-10`, and the ids that its events can have. */
export interface Month {
  name: string
  lowest: string
  below: string
}

/** The month that a partition is named after, such as `audit.events_2025_10`. */
export function monthOf(partition: string): Month {
  const [year = '', month = ''] = partition.slice(-7).split('_')
  const startMs = Date.UTC(Number(year), Number(month) - 1)
  const endMs = Date.UTC(Number(year), Number(month))
  return { name: `${year}-${month}`, lowest: lowestId('evt', startMs), below: lowestId('evt', endMs) }
}

/** Whether a month ended at least so many months before the one of `now`. */
export function isOlderThan({ below }: Month, months: number, now: Date): boolean {
  return idTimeMs(below) <= Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)
}
