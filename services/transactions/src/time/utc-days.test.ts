import { addDays, dayOf, monthEnd } from './utc-days.ts'

test('adding days and finding the end of a month work across months, years and leap years', () => {
  expect([addDays('2026-12-31', 1), addDays('2028-03-01', -1), monthEnd('2026-02-03')]).toEqual([
    '2027-01-01',
    '2028-02-29',
    '2026-02-28',
  ])
})

test('a time in the last millisecond of a UTC day belongs to that day', () => {
  expect(dayOf(new Date('2026-11-21T23:59:59.999Z'))).toBe('2026-11-21')
})
