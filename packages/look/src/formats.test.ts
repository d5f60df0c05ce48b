import { formatAmount, formatCount, formatMoment, formatNumber } from './formats.ts'

test('formats amounts with their currency code, since pesos and dollars share a sign', () => {
  expect(formatAmount(25000, 'MXN', 'es')).toBe('$250.00 MXN')
  expect(formatAmount(123456789, 'USD', 'en')).toBe('$1,234,567.89 USD')
  expect(formatAmount(99_999_999_999, 'MXN', 'es')).toBe('$999,999,999.99 MXN')
  expect(formatNumber(-1000, 'MXN', 'es')).toBe('-$10.00')
})

test('formats moments in a time zone, in both languages', () => {
  expect(formatMoment('2026-06-19T05:59:00.000Z', 'es', 'America/Mexico_City')).toBe('18 jun 2026, 23:59')
  expect(formatMoment('2026-06-19T05:59:07.000Z', 'es', 'America/Mexico_City', 'medium')).toBe('18 jun 2026, 23:59:07')
  expect(formatMoment('2026-06-19T05:59:00.000Z', 'en', 'America/Mexico_City')).toMatch(/^Jun 18, 2026, 11:59\sPM$/)
})

test('numbers are written as in Mexico and the United States', () => {
  expect([formatCount(9_951, 'es'), formatCount(1_204_331, 'en')]).toEqual(['9,951', '1,204,331'])
})
