import fc from 'fast-check'
import { amountCents, currencyCode, maxAmountCents, sumCents } from './money.ts'
import { describeValidationErrors } from './validation-errors.ts'

const faultOf = (value: unknown) => {
  const result = amountCents.safeParse(value, { reportInput: true })
  return result.success ? 'none' : describeValidationErrors(result.error)
}

test.each([
  [250.5, 'expected an integer in minor units (cents), got 250.5'],
  ['25000', 'expected an integer in minor units (cents), got "25000"'],
  ['1e3', 'expected an integer in minor units (cents), got "1e3"'],
  [null, 'expected an integer in minor units (cents), got null'],
  [[1], 'expected an integer in minor units (cents), got an array'],
  [{ cents: 1 }, 'expected an integer in minor units (cents), got an object'],
  [true, 'expected an integer in minor units (cents), got true'],
  [0, 'expected at least 1, got 0'],
  [-1, 'expected at least 1, got -1'],
  [100_000_000_000, 'expected at most 99999999999, got 100000000000'],
])('amountCents rejects %j', (value, fault) => {
  expect(faultOf(value)).toBe(`body: ${fault}`)
})

test('amountCents rejects NaN and infinities', () => {
  for (const value of [Number.NaN, Infinity, -Infinity, 2 ** 53, new Number(5)]) expect(faultOf(value)).not.toBe('none')
})

test('amountCents accepts every integer up to the limit, also written with a decimal point', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: maxAmountCents }), cents => faultOf(cents) === 'none'))
  expect(amountCents.parse(JSON.parse('25000.0'))).toBe(25_000)
  expect(amountCents.parse(JSON.parse('2.5e4'))).toBe(25_000)
})

test('amountCents rejects fractions of a cent', () => {
  const fraction = fc.double({ min: 0.001, max: 1e9, noNaN: true }).filter(value => !Number.isInteger(value))
  fc.assert(fc.property(fraction, value => faultOf(value) !== 'none'))
})

test('sumCents accepts zero and negative amounts', () => {
  expect([0, -5, Number.MAX_SAFE_INTEGER].map(value => sumCents.safeParse(value).success)).toEqual([true, true, true])
  expect([0.5, 2 ** 53].map(value => sumCents.safeParse(value).success)).toEqual([false, false])
})

test('currencyCode accepts three upper-case letters', () => {
  expect(
    ['MXN', 'USD', 'mxn', 'MX', 'MXNN', 'MX1', 'ＭＸＮ', ''].filter(code => currencyCode.safeParse(code).success),
  ).toEqual(['MXN', 'USD'])
})
