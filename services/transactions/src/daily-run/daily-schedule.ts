import { addDays, dayOf } from '../time/utc-days.ts'

/** The delay of a day's run after its end: all writes that began in the day have committed then. */
const startsAfterMs = 10 * 60_000

/** Returns the newest day whose run may start by now. */
export function newestDay(now: Date): string {
  return addDays(dayOf(new Date(now.getTime() - startsAfterMs)), -1)
}

/** Returns the unfinished days, oldest first; only the newest when no day was ever finished. */
export function daysToRun(lastFinished: string | undefined, now: Date): string[] {
  const newest = newestDay(now)
  const days: string[] = []
  for (let day = lastFinished ? addDays(lastFinished, 1) : newest; day <= newest; day = addDays(day, 1)) days.push(day)
  return days
}

/** Returns for how many seconds the oldest unfinished day has been due. */
export function overdueSeconds(lastFinished: string | undefined, now: Date): number {
  const [oldest] = daysToRun(lastFinished, now)
  if (!oldest) return 0
  return (now.getTime() - startsAfterMs - new Date(addDays(oldest, 1)).getTime()) / 1_000
}
