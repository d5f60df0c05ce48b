import { checkLater, checkSoon, nextCheckAt } from './check-schedule.ts'

const now = new Date(0)
const atSecond = (seconds: number) => new Date(seconds * 1_000)

test('checks of an unknown outcome are seconds, then minutes and hours apart, and finally once a day', () => {
  const delays = Array.from({ length: 12 }, (_, count) => nextCheckAt(count, now).getTime() / 1_000)
  expect(delays).toEqual([2, 5, 15, 60, 300, 900, 3600, 21600, 86400, 86400, 86400, 86400])
})

test('a check without an outcome is counted and delays the next one', () => {
  const row = { check_count: 1, next_check_at: now }
  checkLater(row, now)
  expect(row).toEqual({ check_count: 2, next_check_at: atSecond(15) })
})

test('an early check replaces a later one and never postpones an earlier one', () => {
  const checkAfter = (next_check_at: Date | null) => {
    const row = { check_count: 4, next_check_at }
    checkSoon(row, now)
    return row
  }
  expect([null, atSecond(60), atSecond(1)].map(checkAfter)).toEqual([
    { check_count: 4, next_check_at: atSecond(2) },
    { check_count: 4, next_check_at: atSecond(2) },
    { check_count: 4, next_check_at: atSecond(1) },
  ])
})
