import { median, spread } from './median.ts'

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
