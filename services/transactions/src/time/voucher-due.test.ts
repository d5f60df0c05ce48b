import { voucherDue } from './voucher-due.ts'

test.each([
  ['at noon', '2026-05-11T18:00:00.000Z', '2026-05-15T05:59:00.000Z'],
  ['just before midnight in Mexico City', '2026-05-11T05:59:59.999Z', '2026-05-14T05:59:00.000Z'],
  ['at midnight in Mexico City', '2026-05-11T06:00:00.000Z', '2026-05-15T05:59:00.000Z'],
  ['just before midnight UTC', '2026-05-11T23:59:59.999Z', '2026-05-15T05:59:00.000Z'],
  [
    'just after midnight UTC, which is the day before in Mexico City',
    '2026-05-12T00:00:00.000Z',
    '2026-05-15T05:59:00.000Z',
  ],
  ['across the end of a year', '2026-12-30T20:00:00.000Z', '2027-01-03T05:59:00.000Z'],
  [
    'on New Year’s Eve in Mexico City, which is New Year in UTC',
    '2027-01-01T03:00:00.000Z',
    '2027-01-04T05:59:00.000Z',
  ],
  ['across the end of February in a leap year', '2028-02-27T20:00:00.000Z', '2028-03-02T05:59:00.000Z'],
  [
    'across the end of daylight saving time, which Mexico had until 2022',
    '2022-10-28T18:00:00.000Z',
    '2022-11-01T05:59:00.000Z',
  ],
  ['during daylight saving time, which Mexico had until 2022', '2022-07-01T18:00:00.000Z', '2022-07-05T04:59:00.000Z'],
])('a voucher issued %s is due at 23:59 on the third day in Mexico City', (_when, issued, due) => {
  expect(voucherDue(new Date(issued)).toISOString()).toBe(due)
})
