import { amountOf } from './amount.ts'

test.each([
  ['250', '250.00'],
  [' $1,250.5 ', '1250.50'],
  ['0.01', '0.01'],
  ['1,234,567.89', '1234567.89'],
])('%j is the amount %s', (text, amount) => {
  expect(amountOf(text)).toBe(amount)
})

test.each(['', '0', '0.00', '-5', '1,5', '1,23,456', '1.234', '1e3', '250 MXN', '١٢'])('%j is no amount', text => {
  expect(amountOf(text)).toBeUndefined()
})
