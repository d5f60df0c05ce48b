import { daysToRun, newestDay, overdueSeconds } from './daily-schedule.ts'

const at = (time: string) => new Date(`2026-11-21T${time}Z`)

test('the daily run of a day may start ten minutes after the end of the day', () => {
  expect(newestDay(at('00:09:59.999'))).toBe('2026-11-19')
  expect(newestDay(at('00:10:00.000'))).toBe('2026-11-20')
  expect(newestDay(at('23:59:59.999'))).toBe('2026-11-20')
})

test('the daily run catches up on missed days, oldest first, and repeats none', () => {
  const now = at('12:00:00.000')
  expect(daysToRun('2026-11-17', now)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20'])
  expect(daysToRun('2026-11-20', now)).toEqual([])
})

test('the first daily run of a service covers only the newest day', () => {
  expect(daysToRun(undefined, at('12:00:00.000'))).toEqual(['2026-11-20'])
})

test('a daily run is overdue from ten minutes after the end of the day until it is finished', () => {
  expect(overdueSeconds('2026-11-19', at('00:10:00.000'))).toBe(0)
  expect(overdueSeconds('2026-11-19', at('01:10:00.000'))).toBe(3_600)
  expect(overdueSeconds('2026-11-18', at('01:10:00.000'))).toBe(3_600 + 86_400)
  expect(overdueSeconds('2026-11-20', at('12:00:00.000'))).toBe(0)
  expect(overdueSeconds(undefined, at('00:20:00.000'))).toBe(600)
})
