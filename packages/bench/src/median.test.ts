import { median, percentile, spread } from './median.ts'

test.each([
  [[3], 3],
  [[1, 9, 2], 2],
  [[4, 1, 3, 2], 2],
])('the median of %j is %p', (values, middle) => {
  expect(median(values)).toBe(middle)
})

test('the spread is a share of the median', () => {
  expect(spread([90, 100, 120])).toBeCloseTo(0.3)
})

test.each([
  [0.5, 50],
  [0.99, 99],
  [1, 100],
  [0, 1],
])('of 1 to 100, the share %p does not exceed %p', (share, value) => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect(percentile(values, share)).toBe(value)
})
