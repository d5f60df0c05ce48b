import { delayAfter, timings } from '@cobro/runtime'

/** Returns the next check's time after `checkCount` checks without an outcome. None is the last. */
export function nextCheckAt(checkCount: number, now: Date): Date {
  return new Date(now.getTime() + delayAfter(timings.checkAgain, checkCount))
}

/** Fewer calls at a time than connections to the acquirer, so that live payments still get one. */
export const checkLimits = { batch: 50, concurrency: 20 }

/** The time that a replica keeps claimed rows: longer than the timeout of an acquirer call. */
export const checkClaimSeconds = 90

/** The columns that schedule the next check. */
interface CheckSchedule {
  check_count: number
  next_check_at?: Date | null
}

/** Schedules the next check of a row whose outcome is still unknown. */
export type ScheduleCheck = (row: CheckSchedule, now: Date) => void

/** Counts a check without an outcome and schedules the next one, with a growing delay. */
export const checkLater: ScheduleCheck = (row, now) => {
  row.check_count += 1
  row.next_check_at = nextCheckAt(row.check_count, now)
}

/** Schedules a check soon, unless one is due earlier: requests must not delay scheduled checks. */
export const checkSoon: ScheduleCheck = (row, now) => {
  const soon = nextCheckAt(0, now)
  if (!row.next_check_at || row.next_check_at > soon) row.next_check_at = soon
}
