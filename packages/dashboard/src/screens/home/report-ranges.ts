import { dayIn, shiftDay, startOfDay } from '@cobro/contracts/zoned-days'
import type { Search } from '../../address/search.ts'

/** The period of a report; its end is exclusive. */
export interface Period {
  from: string
  to: string
}

/** A report, as far as its intervals go. */
export interface Intervals<Row extends { start: string } = { start: string }> extends Period {
  tz: string
  interval: string
  rows: readonly Row[]
}

/** Returns the filters of a list for the interval at a position. */
export function rangeOfInterval({ to, rows }: Intervals, position: number, timeZone: string): Search {
  return rangeBetween(Date.parse(rows[position]?.start ?? to), Date.parse(rows[position + 1]?.start ?? to), timeZone)
}

/** Returns the filters of a list for a whole report. */
export function rangeOf({ from, to }: Period, timeZone: string): Search {
  return rangeBetween(Date.parse(from), Date.parse(to), timeZone)
}

/** Returns the filters of a list for the period of equal length before a report, until as long before its end as `until` is. */
export function rangeBefore({ from, to }: Period, timeZone: string, until = to): Search {
  const [start, lengthMs] = [Date.parse(from), Date.parse(to) - Date.parse(from)]
  return rangeBetween(start - lengthMs, Date.parse(until) - lengthMs, timeZone)
}

/** Days where it consists of days as lists count them, which people read more easily, and else moments. */
function rangeBetween(start: number, end: number, timeZone: string): Search {
  const last = new Date(end - 1)
  const [from, to] = [dayIn(timeZone, new Date(start)), dayIn(timeZone, last)]
  const isDays =
    startOfDay(from, timeZone).getTime() === start && startOfDay(shiftDay(to, 1), timeZone).getTime() === end
  return isDays ? { from, to } : { from: new Date(start).toISOString(), to: last.toISOString() }
}
