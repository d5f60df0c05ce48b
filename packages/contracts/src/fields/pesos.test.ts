import fc from 'fast-check'
import { maxAmountCents } from './money.ts'
import { pesos } from './pesos.ts'

test.each<[number | string, number]>([
  [250, 25_000],
  [250.5, 25_050],
  ['250.00', 25_000],
  ['0.01', 1],
  // As binary fractions these three are off by a hair.
  [4.35, 435],
  [1.1, 110],
  ['1.15', 115],
  ['999999999.99', maxAmountCents],
])('%p pesos are %p cents', (amount, cents) => {
  expect(pesos.parse(amount)).toBe(cents)
})

test.each([
  0,
  '0',
  '0.00',
  -1,
  '-1',
  1.005,
  '1.005',
  '1.',
  '.5',
  '1,50',
  '1e3',
  1e21,
  'NaN',
  Number.NaN,
  '',
  ' 1',
  '1 000',
  '1000000000',
  '0x10',
  null,
  true,
  [1],
  {},
])('pesos rejects %p', amount => {
  expect(pesos.safeParse(amount).success).toBe(false)
})

const whole = fc.integer({ min: 0, max: 999_999_999 })
const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${maxLength}}$`))
const amount = fc
  .tuple(whole, digits(2))
  .map(([pesosPart, fraction]) => (fraction ? `${pesosPart}.${fraction}` : String(pesosPart)))
  .filter(text => centsOf(text) > 0n)

/** What the digits say, by moving the point two places: no fraction takes part in it. */
function centsOf(text: string): bigint {
  const [pesosPart = '', fraction = ''] = text.split('.')
  return BigInt(pesosPart) * 100n + BigInt(fraction.padEnd(2, '0'))
}

test('pesos converts every amount with at most two decimals exactly, from text and from a JSON number', () => {
  const exact = (text: string) => {
    const cents = Number(centsOf(text))
    expect(pesos.parse(text)).toBe(cents)
    expect(pesos.parse(JSON.parse(text))).toBe(cents)
    expect(pesos.parse(JSON.parse(JSON.stringify({ amount: Number(text) })).amount)).toBe(cents)
  }
  fc.assert(fc.property(amount, exact), { numRuns: 5_000 })
})

test('pesos converts cents back to the same cents', () => {
  const there = (cents: number) => {
    const text = `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
    expect(pesos.parse(text)).toBe(cents)
    expect(pesos.parse(JSON.parse(text))).toBe(cents)
  }
  fc.assert(fc.property(fc.integer({ min: 1, max: maxAmountCents }), there), { numRuns: 5_000 })
})

const isRejected = (value: unknown) => !pesos.safeParse(value).success

test('pesos rejects an amount with a third decimal', () => {
  const third = fc.tuple(amount, fc.integer({ min: 1, max: 9 })).map(([text, digit]) => {
    const [pesosPart, fraction = ''] = text.split('.')
    return `${pesosPart}.${fraction.padEnd(2, '0')}${digit}`
  })
  fc.assert(fc.property(third, text => isRejected(text) && isRejected(JSON.parse(text))))
})

test('pesos rejects signs, exponents, blanks and digits of other scripts', () => {
  const dressed = fc
    .tuple(amount, fc.constantFrom('+', '-', ' ', '$', '0x', '٣', 'e', 'e2', ',', '.', '\n', '_', 'MXN'), fc.boolean())
    .map(([text, odd, before]) => (before ? odd + text : text + odd))
  fc.assert(fc.property(dressed, isRejected))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => /^\d+(\.\d\d?)?$/.test(text) || isRejected(text)))
})

test('pesos rejects amounts outside the limits of a payment, as text and as a number', () => {
  const huge = fc.bigInt({ min: 1_000_000_000n, max: 10n ** 40n }).map(String)
  fc.assert(fc.property(huge, text => isRejected(text) && isRejected(Number(text))))
  fc.assert(fc.property(fc.double({ max: 0 }), isRejected))
  for (const value of [Number.NaN, Infinity, '0', '0.0', '00.00'])
    expect([value, isRejected(value)]).toEqual([value, true])
})
