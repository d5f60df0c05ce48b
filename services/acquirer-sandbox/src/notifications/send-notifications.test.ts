import { waitAfter } from './send-notifications.ts'

test.each([
  [1, 10],
  [2, 200],
  [3, 3_000],
  [4, 3_000],
  [1_000, 3_000],
])('after %i tries %i ms pass before the next', (tries, waitMs) => {
  expect(waitAfter(tries, [10, 200, 3_000])).toBe(waitMs)
})
