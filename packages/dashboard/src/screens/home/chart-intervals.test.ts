import { chartIntervals } from './chart-intervals.ts'

const hourMs = 3_600_000

function hoursOf(tz: string, from: string, hours: number, as_of = from) {
  const at = (hour: number) => new Date(Date.parse(from) + hour * hourMs).toISOString()
  const rows = Array.from({ length: hours }, (_, hour) => ({ start: at(hour) }))
  return chartIntervals({ from, to: at(hours), tz, interval: 'hour', rows, as_of }, 'en-US')
}

test('one interval is open, and those after it have not begun', () => {
  const states = (as_of: string) =>
    hoursOf('UTC', '2026-11-26T00:00:00.000Z', 3, as_of).map(({ hasBegun, isOpen }) =>
      isOpen ? 'open' : hasBegun ? 'ended' : 'to come',
    )
  expect(states('2026-11-26T00:59:59.999Z')).toEqual(['open', 'to come', 'to come'])
  expect(states('2026-11-26T01:00:00.000Z')).toEqual(['ended', 'open', 'to come'])
  expect(states('2026-11-26T02:59:59.999Z')).toEqual(['ended', 'ended', 'open'])
  expect(states('2026-11-26T03:00:00.000Z')).toEqual(['ended', 'ended', 'ended'])
})

test('hours and days are named as the time zone has them', () => {
  const labels = hoursOf('America/Mexico_City', '2026-11-26T06:00:00.000Z', 24).map(({ label }) => label)
  expect([labels[0], labels[9], labels[23]]).toEqual(['00:00', '09:00', '23:00'])
  const days = {
    ...{ from: '2026-11-26T06:00:00.000Z', to: '2026-11-27T06:00:00.000Z', as_of: '2026-11-26T06:00:00.000Z' },
    ...{ tz: 'America/Mexico_City', interval: 'day', rows: [{ start: '2026-11-26T06:00:00.000Z' }] },
  }
  expect(chartIntervals(days, 'en-US')[0]?.label).toBe('Nov 26')
})

test('an hour that the clocks repeat has its offset', () => {
  const labels = hoursOf('Europe/Madrid', '2026-10-24T22:00:00.000Z', 25).map(({ label }) => label)
  expect(labels.slice(0, 5)).toEqual(['00:00', '01:00', '02:00 GMT+2', '02:00 GMT+1', '03:00'])
  expect(new Set(labels).size).toBe(25)
  expect(hoursOf('Europe/Madrid', '2026-03-28T23:00:00.000Z', 23).map(({ label }) => label)[2]).toBe('03:00')
})
