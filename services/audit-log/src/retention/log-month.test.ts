import { idTimeMs, newId } from '@cobro/contracts'
import { isOlderThan, monthOf } from './log-month.ts'

test('a month of the log contains the event ids from its first to its last millisecond', () => {
  const { name, lowest, below } = monthOf('audit.events_2024_12')
  expect(name).toBe('2024-12')
  const isInMonth = (at: string) => {
    const id = newId('evt', Date.parse(at))
    return id >= lowest && id < below
  }
  expect(['2024-11-30T23:59:59.999Z', '2024-12-01', '2024-12-31T23:59:59.999Z', '2025-01-01'].map(isInMonth)).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(new Date(idTimeMs(below)).toISOString()).toBe('2025-01-01T00:00:00.000Z')
})

test.each([
  ['2025-11-01T00:00:00.000Z', true],
  ['2025-10-31T23:59:59.999Z', false],
  ['2026-03-31T12:00:00.000Z', true],
])('October 2024 ended twelve months before %s: %s', (now, expected) => {
  expect(isOlderThan(monthOf('events_2024_10'), 12, new Date(now))).toBe(expected)
})
