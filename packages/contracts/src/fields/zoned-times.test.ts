import { zonedTimes } from './zoned-days.ts'

test.each([
  ['UTC', '2026-03-01T05:59:59.999+00:00'],
  ['America/Mexico_City', '2026-02-28T23:59:59.999-06:00'],
  ['Asia/Kolkata', '2026-03-01T11:29:59.999+05:30'],
  ['Asia/Kathmandu', '2026-03-01T11:44:59.999+05:45'],
  ['America/St_Johns', '2026-03-01T02:29:59.999-03:30'],
])('a time in %s is written as %s', (zone, text) => {
  expect(zonedTimes(zone)(new Date('2026-03-01T05:59:59.999Z'))).toBe(text)
  expect(new Date(text).toISOString()).toBe('2026-03-01T05:59:59.999Z')
})

test('an hour that a change of clocks repeats has its offset each time', () => {
  const write = zonedTimes('America/New_York')
  const times = ['2026-11-01T05:30:00.000Z', '2026-11-01T06:00:00.000Z', '2026-11-01T06:30:00.000Z']
  expect(times.map(time => write(new Date(time)))).toEqual([
    '2026-11-01T01:30:00.000-04:00',
    '2026-11-01T01:00:00.000-05:00',
    '2026-11-01T01:30:00.000-05:00',
  ])
})
