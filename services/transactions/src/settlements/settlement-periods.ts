import { addDays, monthEnd, weekdayOf } from '../time/utc-days.ts'

/** How often a merchant is paid out. A month without `month_day` closes on its last day. */
export interface PeriodTerms {
  frequency: 'daily' | 'weekly' | 'monthly'
  /** 1 for Monday to 7 for Sunday; used when weekly. */
  weekday?: number | null
  /** 1 to 31; used when monthly. */
  month_day?: number | null
}

/** Returns the period that a day closes, first and last day inclusive, or undefined when it closes none. */
export function periodClosedBy(
  day: string,
  terms: PeriodTerms,
): { period_start: string; period_end: string } | undefined {
  if (!closes(day, terms)) return undefined
  let first = day
  while (!closes(addDays(first, -1), terms)) first = addDays(first, -1)
  return { period_start: first, period_end: day }
}

function closes(day: string, { frequency, weekday, month_day }: PeriodTerms): boolean {
  if (frequency === 'daily') return true
  if (frequency === 'weekly') return weekdayOf(day) === (weekday ?? 7)
  const wanted = month_day ?? 31
  const last = Number(monthEnd(day).slice(8))
  return Number(day.slice(8)) === Math.min(wanted, last)
}
