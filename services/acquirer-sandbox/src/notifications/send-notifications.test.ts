import { retryDelayAfter } from './send-notifications.ts'

test.each([
  [1, 10],
  [2, 200],
  [3, 3_000],
  [4, 3_000],
  [1_000, 3_000],
])('a notification is retried after %i tries with a delay of %i ms', (tries, waitMs) => {
  expect(retryDelayAfter(tries, [10, 200, 3_000])).toBe(waitMs)
})
