import { rangeBefore, rangeOf, rangeOfInterval } from './report-ranges.ts'

const tz = 'America/Mexico_City'
const week = {
  ...{ from: '2026-11-02T06:00:00.000Z', to: '2026-11-13T06:00:00.000Z', tz, interval: 'week' },
  rows: [{ start: '2026-11-02T06:00:00.000Z' }, { start: '2026-11-09T06:00:00.000Z' }],
}

test('an interval has the days up to the next one, and the last one those up to the end of the report', () => {
  expect(rangeOfInterval(week, 0, tz)).toEqual({ from: '2026-11-02', to: '2026-11-08' })
  expect(rangeOfInterval(week, 1, tz)).toEqual({ from: '2026-11-09', to: '2026-11-12' })
  expect(rangeOf(week, tz)).toEqual({ from: '2026-11-02', to: '2026-11-12' })
  expect(rangeBefore(week, tz)).toEqual({ from: '2026-10-22', to: '2026-11-01' })
})

test('the period before ends at the time until which this one is compared', () => {
  expect(rangeBefore(week, tz, '2026-11-12T16:00:00.000Z')).toEqual({
    from: '2026-10-22T06:00:00.000Z',
    to: '2026-11-01T15:59:59.999Z',
  })
  expect(rangeBefore(week, tz, '2026-11-12T06:00:00.000Z')).toEqual({ from: '2026-10-22', to: '2026-10-31' })
})

test('an hour is from its first moment to its last one', () => {
  const hours = {
    ...{ from: '2026-11-03T05:00:00.000Z', to: '2026-11-03T07:00:00.000Z', tz, interval: 'hour' },
    rows: [{ start: '2026-11-03T05:00:00.000Z' }, { start: '2026-11-03T06:00:00.000Z' }],
  }
  expect(rangeOfInterval(hours, 0, tz)).toEqual({ from: '2026-11-03T05:00:00.000Z', to: '2026-11-03T05:59:59.999Z' })
  expect(rangeOfInterval(hours, 1, tz)).toEqual({ from: '2026-11-03T06:00:00.000Z', to: '2026-11-03T06:59:59.999Z' })
})

test('days of another zone than that of the lists are moments, and so are those before the clocks change', () => {
  const day = { from: '2026-11-03T00:00:00.000Z', to: '2026-11-04T00:00:00.000Z' }
  expect(rangeOf(day, 'Asia/Kolkata')).toEqual({ from: '2026-11-03T00:00:00.000Z', to: '2026-11-03T23:59:59.999Z' })
  // In Tijuana, the first of November has 25 hours.
  const changed = { from: '2026-11-01T07:00:00.000Z', to: '2026-11-02T08:00:00.000Z' }
  expect(rangeBefore(changed, 'America/Tijuana')).toEqual({
    from: '2026-10-31T06:00:00.000Z',
    to: '2026-11-01T06:59:59.999Z',
  })
})
