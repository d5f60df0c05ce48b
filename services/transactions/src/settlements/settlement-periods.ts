import type { SettlementConfigRow } from '../settlement-config/settlement-config-entity.ts'
import { addDays, monthEnd, weekdayOf } from '../time/utc-days.ts'

/** The payout schedule. By default, weeks close on Sunday and months on their last day. */
type PeriodTerms = Pick<SettlementConfigRow, 'frequency' | 'weekday' | 'month_day'>

/** Returns the first and last day of the period that a day closes; undefined if it closes none. */
export function periodClosedBy(day: string, terms: PeriodTerms) {
  if (!closes(day, terms)) return undefined
  let first = day
  while (!closes(addDays(first, -1), terms)) first = addDays(first, -1)
  return { period_start: first, period_end: day }
}

function closes(day: string, { frequency, weekday, month_day }: PeriodTerms): boolean {
  if (frequency === 'daily') return true
  if (frequency === 'weekly') return weekdayOf(day) === (weekday ?? 7)
  const lastDay = Number(monthEnd(day).slice(8))
  return Number(day.slice(8)) === Math.min(month_day ?? 31, lastDay)
}
