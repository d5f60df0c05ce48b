import fc from 'fast-check'
import { formatMoney, fromCents, toCents } from './money.ts'

test.each<[number | string, number]>([
  ['250.50', 25_050],
  ['250.5', 25_050],
  [250.5, 25_050],
  ['250', 25_000],
  [0.29, 29],
  [1.15, 115],
  [-0, 0],
  ['-0.00', 0],
  ['-12.34', -1_234],
  ['90071992547409.91', Number.MAX_SAFE_INTEGER],
])('toCents(%p) is %p', (amount, cents) => {
  expect(toCents(amount)).toBe(cents)
})

test.each<number | string>([
  ...['', '.5', '1.', '1.234', '1,5', '1e3', ' 1', '$1', '+1', '1 000', '0x10'],
  ...[0.1 + 0.2, 1e21, 2 ** 46, Number.NaN, Number.POSITIVE_INFINITY, '90071992547409.92', '9'.repeat(400)],
])('toCents rejects %p', amount => {
  expect(() => toCents(amount)).toThrow(RangeError)
})

test.each([
  [25_050, '250.50'],
  [5, '0.05'],
  [0, '0.00'],
  [-1_234, '-12.34'],
  [Number.MAX_SAFE_INTEGER, '90071992547409.91'],
])('fromCents(%p) is %p', (cents, amount) => {
  expect(fromCents(cents)).toBe(amount)
})

test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('fromCents rejects %p', cents => {
  expect(() => fromCents(cents)).toThrow(RangeError)
})

test('every number of cents survives the way to text and back', () => {
  fc.assert(fc.property(fc.maxSafeInteger(), cents => expect(toCents(fromCents(cents))).toBe(cents === 0 ? 0 : cents)))
})

test('formatMoney writes an amount for people, without rounding it', () => {
  expect(formatMoney({ amount_cents: 25_050, currency: 'MXN' }, 'es-MX')).toBe('$250.50')
  expect(formatMoney({ amount_cents: 123_456_789, currency: 'USD' }, 'en-US')).toBe('$1,234,567.89')
  expect(formatMoney({ amount_cents: Number.MAX_SAFE_INTEGER, currency: 'USD' }, 'en-US')).toBe(
    '$90,071,992,547,409.91',
  )
})
