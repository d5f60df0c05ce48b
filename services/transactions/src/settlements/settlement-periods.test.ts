import fc from 'fast-check'
import { addDays, weekdayOf } from '../time/utc-days.ts'
import { periodClosedBy } from './settlement-periods.ts'

const terms = { frequency: 'daily', weekday: null, month_day: null } as const
const period = (period_start: string, period_end: string) => ({ period_start, period_end })

test('every day closes a daily settlement period', () => {
  expect(periodClosedBy('2026-02-28', terms)).toEqual(period('2026-02-28', '2026-02-28'))
})

test('a weekly settlement period closes on its weekday and starts the day after the previous period', () => {
  const weekly = { ...terms, frequency: 'weekly', weekday: 5 } as const
  expect(weekdayOf('2026-11-20')).toBe(5)
  expect(periodClosedBy('2026-11-20', weekly)).toEqual(period('2026-11-14', '2026-11-20'))
  expect(periodClosedBy('2026-11-21', weekly)).toBeUndefined()
})

test('a monthly settlement period closes on its day, or on the last day of a shorter month', () => {
  const monthly = { ...terms, frequency: 'monthly', month_day: 31 } as const
  expect(periodClosedBy('2028-02-29', monthly)).toEqual(period('2028-02-01', '2028-02-29'))
  expect(periodClosedBy('2028-03-31', monthly)).toEqual(period('2028-03-01', '2028-03-31'))
  expect(periodClosedBy('2028-03-30', monthly)).toBeUndefined()
  expect(periodClosedBy('2026-01-15', { ...monthly, month_day: 15 })).toEqual(period('2025-12-16', '2026-01-15'))
})

test('by default weeks close on Sunday and months on their last day', () => {
  const weekly = { ...terms, frequency: 'weekly' } as const
  expect(periodClosedBy('2026-11-22', weekly)).toEqual(period('2026-11-16', '2026-11-22'))
  expect(periodClosedBy('2026-11-21', weekly)).toBeUndefined()
  const monthly = { ...terms, frequency: 'monthly' } as const
  expect(periodClosedBy('2026-02-28', monthly)).toEqual(period('2026-02-01', '2026-02-28'))
  expect(periodClosedBy('2026-03-30', monthly)).toBeUndefined()
})

test('every day belongs to exactly one settlement period', () => {
  const anyTerms = fc.record({
    frequency: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const),
    weekday: fc.integer({ min: 1, max: 7 }),
    month_day: fc.integer({ min: 1, max: 31 }),
  })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20_000 }), anyTerms, (offset, given) => {
      let day = addDays('2000-01-01', offset)
      while (!periodClosedBy(day, given)) day = addDays(day, 1)
      const closed = periodClosedBy(day, given) ?? period('', '')
      expect(closed.period_start <= addDays('2000-01-01', offset) && closed.period_end === day).toBe(true)
      expect(periodClosedBy(addDays(closed.period_start, -1), given)?.period_end).toBe(addDays(closed.period_start, -1))
    }),
    { numRuns: 1_000 },
  )
})
