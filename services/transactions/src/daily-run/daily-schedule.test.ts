import { daysToRun, dueForSeconds, newestDay } from './daily-schedule.ts'

const at = (time: string) => new Date(`2026-11-21T${time}Z`)

test('a day may be run ten minutes after its end', () => {
  expect(newestDay(at('00:09:59.999'))).toBe('2026-11-19')
  expect(newestDay(at('00:10:00.000'))).toBe('2026-11-20')
  expect(newestDay(at('23:59:59.999'))).toBe('2026-11-20')
})

test('days that were missed are made up for, oldest first, and none is run again', () => {
  const now = at('12:00:00.000')
  expect(daysToRun('2026-11-17', now)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20'])
  expect(daysToRun('2026-11-20', now)).toEqual([])
})

test('where none was ever run, the newest alone is', () => {
  expect(daysToRun(undefined, at('12:00:00.000'))).toEqual(['2026-11-20'])
})

test('a day is due from ten minutes after its end until its run is finished', () => {
  expect(dueForSeconds('2026-11-19', at('00:10:00.000'))).toBe(0)
  expect(dueForSeconds('2026-11-19', at('01:10:00.000'))).toBe(3_600)
  expect(dueForSeconds('2026-11-18', at('01:10:00.000'))).toBe(3_600 + 86_400)
  expect(dueForSeconds('2026-11-20', at('12:00:00.000'))).toBe(0)
  expect(dueForSeconds(undefined, at('00:20:00.000'))).toBe(600)
})
