import { roundMaximum, shareOf } from './share.ts'

test.each([
  [1, 4, 0.25],
  [0, 4, 0],
  [0, 0, undefined],
])('%d of %d is %s', (part, whole, share) => {
  expect(shareOf(part, whole)).toBe(share)
})

test.each([
  [[], 1],
  [[0, 0], 1],
  [[3, 7], 10],
  [[120, 180], 200],
  [[100], 100],
  [[101], 200],
  [[2_001], 5_000],
])('a plot of %j reaches to %d', (values, maximum) => {
  expect(roundMaximum(values)).toBe(maximum)
})
