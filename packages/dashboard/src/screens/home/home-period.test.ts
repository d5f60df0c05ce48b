import { daysOf, periodOf } from './home-period.ts'

test.each([
  [undefined, 'today'],
  ['month', 'month'],
  ['constructor', 'today'],
  ['', 'today'],
])('the address %j shows the period %s', (name, period) => {
  expect(periodOf(name)).toBe(period)
})

const evening = new Date('2026-11-27T04:00:00Z')

test.each([
  [
    'today',
    'America/Mexico_City',
    { from: '2026-11-26', to: '2026-11-26', tz: 'America/Mexico_City', interval: 'hour' },
  ],
  ['week', 'America/Mexico_City', { from: '2026-11-20', to: '2026-11-26', tz: 'America/Mexico_City', interval: 'day' }],
  ['quarter', 'UTC', { from: '2026-08-30', to: '2026-11-27', tz: 'UTC', interval: 'week' }],
  ['today', 'Asia/Kolkata', { from: '2026-11-27', to: '2026-11-27', tz: 'UTC', interval: 'hour' }],
] as const)('the period %s in %s has its days', (name, zone, days) => {
  expect(daysOf(name, zone, evening)).toEqual(days)
})
