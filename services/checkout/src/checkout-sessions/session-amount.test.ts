import { adjustment, sessionAmount, sumOfItems } from './session-amount.ts'

const item = (quantity: number, unit_price: number) => ({ name: 'x', quantity, unit_price })

test('the amount is the stated one, else the sum of the items', () => {
  expect(sessionAmount({ amount_total: 500, line_items: [item(2, 100)] })).toBe(500)
  expect(sessionAmount({ line_items: [item(2, 100), item(1, 50)] })).toBe(250)
})

test('the adjustment makes the items add up, and is nothing without items', () => {
  expect(adjustment(180, [item(2, 100)])).toBe(-20)
  expect(adjustment(230, [item(2, 100)])).toBe(30)
  expect(adjustment(230, [])).toBe(0)
})

test('refuses items that add up to more than an amount may be', () => {
  expect(sumOfItems([item(1, 99_999_999_999)])).toBe(99_999_999_999)
  expect(() => sumOfItems([item(1, 99_999_999_999), item(1, 1)])).toThrow('line_items')
  expect(() => sumOfItems([item(1_000_000, 99_999_999_999)])).toThrow('line_items')
})
