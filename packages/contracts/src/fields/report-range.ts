import { z } from 'zod'
import { named } from './pagination.ts'
import { timeZone } from './time-zones.ts'
import { day, isoTime } from './times.ts'
import { dayIn, offsetMs, shiftDay, startOfDay } from './zoned-days.ts'

const intervals = ['hour', 'day', 'week', 'month'] as const
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const maxIntervals = 400
const defaultDays = 30
const [firstYear, lastYear] = [2000, 9998]

/** The period of a report: whole hours, of which the last one ends at `to`. */
export interface ReportRange {
  from: Date
  /** Exclusive. */
  to: Date
  /** The time zone in which days, weeks and months begin. */
  tz: string
  interval: (typeof intervals)[number]
}

const bound = z.union([day, isoTime], { error: 'expected a day as YYYY-MM-DD or an ISO 8601 UTC time' })

/** The parameters that every report has. */
export const rangeParameters = {
  from: bound
    .optional()
    .describe('The first day, in the time zone `tz`, or a moment on the hour. By default 29 days before today.'),
  to: bound
    .optional()
    .describe('The last day, inclusive, or a moment on the hour, exclusive. By default today, in the time zone `tz`.'),
  tz: timeZone
    .refine(isAtWholeHours, { error: 'expected a zone at whole hours from UTC' })
    .default('UTC')
    .describe('The time zone in which days begin. It must be whole hours from UTC.'),
  interval: named(
    'ReportInterval',
    z.enum(intervals, { error: `expected one of ${intervals.join(', ')}` }).describe('How long an interval is.'),
  )
    .default('day')
    .describe('How long each interval is. A report has at most 400 intervals and 400 days.'),
}

/** In winter and in summer, which may differ by half an hour. */
function isAtWholeHours(zone: string): boolean {
  const year = new Date().getUTCFullYear()
  return [0, 6].every(month => offsetMs(new Date(Date.UTC(year, month)), zone) % hourMs === 0)
}

type Bound = z.output<typeof bound> | undefined

/** The validated parameters of a range, before days are resolved in their time zone. */
interface GivenRange {
  from?: Bound
  to?: Bound
  tz: string
  interval: ReportRange['interval']
}

/** Resolves the days of a query. Reports a range that is empty, too long or not in whole hours. */
export function resolveRange<Query extends GivenRange>(query: Query, context: z.core.$RefinementCtx) {
  const { tz, interval } = query
  const today = dayIn(tz, new Date())
  const to = boundAt(query.to ?? today, tz, 1)
  const from = boundAt(query.from ?? shiftDay(dayIn(tz, new Date(to.getTime() - 1)), 1 - defaultDays), tz, 0)
  const error = rangeError({ from, to, tz, interval })
  if (error) {
    context.addIssue({ code: 'custom', path: ['from'], message: error })
    return z.NEVER
  }
  return { ...query, from, to }
}

function rangeError({ from, to, interval }: ReportRange): string | undefined {
  const length = to.getTime() - from.getTime()
  if (from.getUTCFullYear() < firstYear) return `expected times from the year ${firstYear} on`
  if (length <= 0) return 'expected a time before to'
  if (to.getUTCFullYear() > lastYear) return `expected times up to the year ${lastYear}`
  if (from.getTime() % hourMs !== 0 || to.getTime() % hourMs !== 0) return 'expected times on the hour'
  if (interval === 'hour' && length > maxIntervals * hourMs) return `expected at most ${maxIntervals} hours before to`
  // An hour more: the clocks may go back within the range.
  if (length > maxIntervals * dayMs + hourMs) return `expected at most ${maxIntervals} days before to`
  return undefined
}

function boundAt(bound: string | Date, tz: string, daysLater: number): Date {
  return typeof bound === 'string' ? startOfDay(shiftDay(bound, daysLater), tz) : bound
}

/**
 * Returns when each interval of a range begins: at the hour, or at the day, Monday or first of a month in its time zone. The
 * first one begins where the range does.
 */
export function intervalsOf({ from, to, tz, interval }: ReportRange): Date[] {
  const starts = [from]
  if (interval === 'hour') {
    for (let ms = from.getTime() + hourMs; ms < to.getTime(); ms += hourMs) starts.push(new Date(ms))
    return starts
  }
  const next = { day: (text: string) => shiftDay(text, 1), week: nextMonday, month: nextMonth }[interval]
  for (let text = next(dayIn(tz, from)); startOfDay(text, tz) < to; text = next(text)) starts.push(startOfDay(text, tz))
  return starts
}

function nextMonday(text: string): string {
  return shiftDay(text, 7 - ((new Date(text).getUTCDay() + 6) % 7))
}

function nextMonth(text: string): string {
  return `${shiftDay(`${text.slice(0, 7)}-01`, 31).slice(0, 7)}-01`
}

/**
 * Returns until when a range can be compared with the one before: its end, or the last full hour of one that has not ended.
 * That is its start while no hour has passed.
 */
export function comparableUntil({ from, to }: ReportRange, now: Date): Date {
  const fullHour = Math.floor(now.getTime() / hourMs) * hourMs
  return new Date(Math.min(to.getTime(), Math.max(from.getTime(), fullHour)))
}

/** The fields that every report has beside its rows. */
export const reportFields = {
  from: isoTime.describe('When the report begins.'),
  to: isoTime.describe('When it ends, exclusive.'),
  tz: timeZone.describe('The time zone in which days, weeks and months begin.'),
  as_of: isoTime.describe('When it was made: everything that was committed by then is in it.'),
}

/** Returns the fields of a report with the sums of its period, of the one before, and of what of both can be compared. */
export function totalFields<Totals extends z.ZodRawShape>(name: string, shape: Totals) {
  const totals = named(`${name}Totals`, z.object(shape).describe('The sums of a period.'))
  const until = 'Until when the sums count, exclusive: the end of the period, or the last full hour before `as_of`.'
  return {
    totals,
    previous: totals.describe('The sums of the whole period of equal length before.'),
    compared: named(
      `${name}Comparison`,
      z.object({
        to: isoTime.describe(until),
        totals: totals.describe('The sums of the period until then.'),
        previous: totals.describe('The sums of the period before, until as long before its end.'),
      }),
    ).describe(
      'Sums to compare while a period has not ended: those of the hours that have passed, and of the same hours of the period before. Once it has ended, they are `totals` and `previous`.',
    ),
  }
}

/** Returns the schema of a report with one row for each interval. `totals` has the sums of the rows. */
export function reportByInterval<Row extends z.ZodRawShape, Totals extends z.ZodRawShape>(
  name: string,
  shapes: { row: Row; totals: Totals },
) {
  const start = isoTime.describe('When the interval begins.')
  return z.object({
    ...reportFields,
    interval: rangeParameters.interval.unwrap(),
    rows: z
      .array(named(`${name}Row`, z.object({ start, ...shapes.row }).describe('An interval.')))
      .describe('An entry for each interval, the oldest first.'),
    ...totalFields(name, shapes.totals),
  })
}
