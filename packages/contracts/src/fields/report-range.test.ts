import { reportOperations } from '../resources/reports.ts'
import { comparableUntil, intervalsOf, type ReportRange } from './report-range.ts'

const parse = (query: Record<string, string>) => reportOperations.payments.query.safeParse(query)
const rangeOf = (query: Record<string, string>) => {
  const { from, to, tz, interval } = parse(query).data as ReportRange
  return { from: from.toISOString(), to: to.toISOString(), tz, interval }
}
const startsOf = (query: Record<string, string>) =>
  intervalsOf(parse(query).data as ReportRange).map(start => start.toISOString())

test.each([
  ['UTC', '2026-03-01T00:00:00.000Z', '2026-03-03T00:00:00.000Z'],
  ['America/Mexico_City', '2026-03-01T06:00:00.000Z', '2026-03-03T06:00:00.000Z'],
  ['Asia/Tokyo', '2026-02-28T15:00:00.000Z', '2026-03-02T15:00:00.000Z'],
])('days from 1 to 2 March in %s are from %s to %s', (tz, from, to) => {
  expect(rangeOf({ tz, from: '2026-03-01', to: '2026-03-02' })).toEqual({ from, to, tz, interval: 'day' })
})

test.each([
  ['the clocks go forward', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['the clocks go back', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
])('a day on which %s is shorter or longer', (_, day, from, to) => {
  expect(rangeOf({ tz: 'Europe/Madrid', from: day, to: day })).toMatchObject({ from, to })
})

test('where midnight is skipped, the day begins when the clocks go forward', () => {
  const { from, to } = rangeOf({ tz: 'Africa/Cairo', from: '2026-04-24', to: '2026-04-24' })
  expect([from, to]).toEqual(['2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'])
})

test('without bounds, a range has the 30 days up to today; with its end, the 30 days up to that', () => {
  const { from, to } = parse({}).data as ReportRange
  const today = new Date().toISOString().slice(0, 10)
  expect(to.getTime() - Date.parse(today)).toBe(86_400_000)
  expect((to.getTime() - from.getTime()) / 86_400_000).toBe(30)
  expect(rangeOf({ to: '2026-03-30' })).toMatchObject({ from: '2026-03-01T00:00:00.000Z' })
})

test.each([
  ['in an hour of the range', '2026-03-02T10:59:59.999Z', '2026-03-02T10:00:00.000Z'],
  ['before an hour has passed', '2026-03-01T00:59:59.999Z', '2026-03-01T00:00:00.000Z'],
  ['before the range', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['after the range', '2026-04-01T00:00:00.000Z', '2026-03-03T00:00:00.000Z'],
])('%s, a range can be compared until the last full hour within it', (_, now, until) => {
  const range = parse({ from: '2026-03-01', to: '2026-03-02' }).data as ReportRange
  expect(comparableUntil(range, new Date(now)).toISOString()).toBe(until)
})

test.each(['Asia/Kolkata', 'Australia/Lord_Howe'])('%s is not at whole hours from UTC all year', tz => {
  expect(parse({ tz }).error?.issues[0]?.message).toBe('expected a zone at whole hours from UTC')
})

test('a range has at most 400 hours, or 400 days', () => {
  expect(parse({ from: '2026-03-01T00:00:00.000Z', to: '2026-03-17T16:00:00.000Z', interval: 'hour' }).success).toBe(
    true,
  )
  expect(parse({ from: '2026-03-01T00:00:00.000Z', to: '2026-03-17T17:00:00.000Z', interval: 'hour' }).success).toBe(
    false,
  )
  expect(parse({ from: '2025-02-01', to: '2026-03-07' }).success).toBe(true)
  expect(parse({ from: '2025-02-01', to: '2026-03-08' }).success).toBe(false)
})

test.each<Record<string, string>>([
  { from: '0001-01-01', to: '0001-01-10' },
  { from: '1999-12-31' },
  { to: '0001-01-01' },
  { to: '0001-01-01T00:00:00.000Z' },
])('the range %j, before the year 2000, is rejected', query => {
  expect(parse(query).error?.issues.map(({ message, path }) => [path, message])).toEqual([
    [['from'], 'expected times from the year 2000 on'],
  ])
})

test('a range begins in the year 2000 at the earliest', () => {
  expect(rangeOf({ from: '2000-01-01', to: '2000-01-02' })).toMatchObject({ from: '2000-01-01T00:00:00.000Z' })
})

test('days begin at midnight on both sides of a change of the clocks, and hours follow one another', () => {
  expect(startsOf({ tz: 'Europe/Madrid', from: '2026-03-28', to: '2026-03-30' })).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ])
  expect(startsOf({ tz: 'Europe/Madrid', from: '2026-03-29', to: '2026-03-29', interval: 'hour' })).toHaveLength(23)
})

test('weeks begin on Mondays and months on their first day, after a first interval that may be shorter', () => {
  expect(startsOf({ from: '2026-02-28', to: '2026-03-09', interval: 'week' })).toEqual([
    '2026-02-28T00:00:00.000Z',
    '2026-03-02T00:00:00.000Z',
    '2026-03-09T00:00:00.000Z',
  ])
  expect(startsOf({ tz: 'America/Mexico_City', from: '2026-01-31', to: '2026-03-01', interval: 'month' })).toEqual([
    '2026-01-31T06:00:00.000Z',
    '2026-02-01T06:00:00.000Z',
    '2026-03-01T06:00:00.000Z',
  ])
})
