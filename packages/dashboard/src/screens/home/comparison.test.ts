import { comparisonOf } from './comparison.ts'

const day = {
  ...{ from: '2026-11-26T06:00:00.000Z', to: '2026-11-27T06:00:00.000Z', tz: 'America/Mexico_City' },
  ...{ totals: 12, previous: 100 },
}

test('a period that has not ended is compared by its full hours', () => {
  const compared = { to: '2026-11-26T16:00:00.000Z', totals: 10, previous: 9 }
  expect(comparisonOf({ ...day, compared })).toEqual({ totals: 10, previous: 9, until: compared.to })
})

test('before an hour has passed, nothing is compared with the whole period before', () => {
  expect(comparisonOf({ ...day, compared: { to: day.from, totals: 0, previous: 0 } })).toEqual({ previous: 100 })
})

test('a period that has ended is compared with the whole period before', () => {
  const compared = { to: day.to, totals: 12, previous: 100 }
  expect(comparisonOf({ ...day, compared })).toEqual({ totals: 12, previous: 100 })
})
