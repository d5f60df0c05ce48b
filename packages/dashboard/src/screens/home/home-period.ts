import { dayIn, offsetMs, shiftDay } from '@cobro/contracts/zoned-days'

/** The periods that the home screen can show, with the intervals of its plots. */
export const periods = {
  today: { days: 1, interval: 'hour' },
  week: { days: 7, interval: 'day' },
  month: { days: 30, interval: 'day' },
  quarter: { days: 90, interval: 'week' },
} as const

export type PeriodName = keyof typeof periods

/** What to ask a report for: days of the time zone, up to today. */
export interface ReportDays {
  from: string
  to: string
  tz: string
  interval: (typeof periods)[PeriodName]['interval']
}

const hourMs = 3_600_000

/** Returns the period that an address names, or else today. */
export function periodOf(name: string | undefined): PeriodName {
  return name !== undefined && Object.hasOwn(periods, name) ? (name as PeriodName) : 'today'
}

/** Returns the days of a period. A time zone that is not at whole hours has no reports: its days are those of UTC. */
export function daysOf(name: PeriodName, timeZone: string, now: Date): ReportDays {
  const tz = offsetMs(now, timeZone) % hourMs === 0 ? timeZone : 'UTC'
  const { days, interval } = periods[name]
  const to = dayIn(tz, now)
  return { from: shiftDay(to, 1 - days), to, tz, interval }
}
