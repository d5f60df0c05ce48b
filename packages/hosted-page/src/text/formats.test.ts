import { formatDue, formatTimeLeft, groupsOf } from './formats.ts'

test("formats a voucher's due time in its stores' time zone, in both languages", () => {
  expect(formatDue('2026-06-19T05:59:00.000Z', 'es')).toBe('18 jun 2026, 23:59')
  expect(formatDue('2026-06-19T05:59:00.000Z', 'en')).toMatch(/^Jun 18, 2026, 11:59\sPM$/)
})

test('groups a reference by fours', () => {
  expect(groupsOf('93000012345678')).toEqual(['9300', '0012', '3456', '78'])
})

test.each([
  [0, '00:00'],
  [-5, '00:00'],
  [1, '00:01'],
  [59_000, '00:59'],
  [899_001, '15:00'],
  [3_600_000, '1 h 00 min'],
  [7_500_000, '2 h 05 min'],
  [604_800_000, '7 d 0 h'],
])('formatTimeLeft writes %s ms as %s', (ms, text) => {
  expect(formatTimeLeft(ms)).toBe(text)
})
