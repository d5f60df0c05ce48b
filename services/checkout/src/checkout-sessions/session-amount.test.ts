import { adjustment, sessionAmount, sumOfItems } from './session-amount.ts'

const item = (quantity: number, unit_price: number) => ({ name: 'x', quantity, unit_price })

test('uses the given amount of a session, else the sum of its items', () => {
  expect(sessionAmount({ amount_total: 500, line_items: [item(2, 100)] })).toBe(500)
  expect(sessionAmount({ amount_total: 500 })).toBe(500)
  expect(sessionAmount({ line_items: [item(2, 100), item(1, 50)] })).toBe(250)
})

test('calculates the adjustment between a session’s amount and its items, and 0 without items', () => {
  expect(adjustment(180, [item(2, 100)])).toBe(-20)
  expect(adjustment(230, [item(2, 100)])).toBe(30)
  expect(adjustment(230, [])).toBe(0)
})

test('rejects line items whose sum exceeds the maximum amount', () => {
  const tooLarge = 'invalid_request: line_items: expected a sum of at most 99999999999'
  expect(sumOfItems([item(1, 99_999_999_999)])).toBe(99_999_999_999)
  expect(() => sumOfItems([item(1, 99_999_999_999), item(1, 1)])).toThrow(tooLarge)
  expect(() => sumOfItems([item(1_000_000, 99_999_999_999)])).toThrow(tooLarge)
})
