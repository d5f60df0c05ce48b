import { nextCheckAt } from './check-schedule.ts'

test('asks again after seconds, then minutes, hours, and once a day for ever', () => {
  const now = new Date(0)
  const waits = Array.from({ length: 12 }, (_, count) => nextCheckAt(count, now).getTime() / 1000)
  expect(waits).toEqual([2, 5, 15, 60, 300, 900, 3600, 21600, 86400, 86400, 86400, 86400])
})
