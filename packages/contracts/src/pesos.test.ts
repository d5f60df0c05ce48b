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
])('%p is no amount in pesos', amount => {
  expect(pesos.safeParse(amount).success).toBe(false)
})

test('every amount with two decimals is what its digits say', () => {
  for (let cents = 1; cents < 300_000; cents += 7) expect(pesos.parse(cents / 100)).toBe(cents)
})
