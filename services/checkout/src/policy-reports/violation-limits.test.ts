import { openViolationLimits } from './violation-limits.ts'

const hour = 3_600_000
const violation = (blocked_origin: string, directive = 'img-src') => ({
  ...{ id: null, source_file: null, source_line: null },
  directive,
  blocked_origin,
})

test('records a directive with the same blocked origin once an hour', () => {
  const limits = openViolationLimits()
  expect(limits.admit(violation('https://a.example'), 0)).toBe('recorded')
  expect(limits.admit(violation('https://a.example'), hour - 1)).toBe('repeated')
  expect(limits.admit(violation('https://a.example', 'connect-src'), hour - 1)).toBe('recorded')
  expect(limits.admit(violation('https://a.example'), hour)).toBe('recorded')
})

test('records at most 100 violations an hour', () => {
  const limits = openViolationLimits()
  const admit = (count: number, atMs: number) =>
    Array.from({ length: count }, (_, at) => limits.admit(violation(`https://${atMs}-${at}.example`), atMs))
  expect(new Set(admit(100, 0))).toEqual(new Set(['recorded']))
  expect(new Set(admit(100, 1))).toEqual(new Set(['over_limit']))
  expect(new Set(admit(100, hour))).toEqual(new Set(['recorded']))
})

test('records a violation again whose event could not be stored', () => {
  const limits = openViolationLimits()
  limits.admit(violation('https://a.example'), 0)
  limits.forget(violation('https://a.example'))
  expect(limits.admit(violation('https://a.example'), 1)).toBe('recorded')
})
