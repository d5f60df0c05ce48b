import { dayStart, filtersOf, pageOf, paramsOf } from './list-search.ts'

const mexico = 'America/Mexico_City'

test('the filters of an address are those that the list has and that are set', () => {
  expect(filtersOf({ status: 'declined,failed', page: '2', merchant_id: 'mrc_other', search: '' }, ['status'])).toEqual(
    {
      status: 'declined,failed',
    },
  )
})

test.each([
  [{}, 1],
  [{ page: '3' }, 3],
  [{ page: '0' }, 1],
  [{ page: '-1' }, 1],
  [{ page: '1.5' }, 1],
  [{ page: 'x' }, 1],
])('the page of %j is %d', (search, page) => {
  expect(pageOf(search as Record<string, string>)).toBe(page)
})

test.each([
  ['2026-11-26', mexico, 0, '2026-11-26T06:00:00.000Z'],
  ['2026-11-26', mexico, 1, '2026-11-27T06:00:00.000Z'],
  ['2026-12-31', mexico, 1, '2027-01-01T06:00:00.000Z'],
  // Tijuana: the clocks go back on the first of November and forward on the eighth of March.
  ['2026-11-01', 'America/Tijuana', 0, '2026-11-01T07:00:00.000Z'],
  ['2026-11-02', 'America/Tijuana', 0, '2026-11-02T08:00:00.000Z'],
  ['2026-03-09', 'America/Tijuana', 0, '2026-03-09T07:00:00.000Z'],
  ['2026-11-26', 'Asia/Kolkata', 0, '2026-11-25T18:30:00.000Z'],
  ['2026-11-26', 'UTC', 0, '2026-11-26T00:00:00.000Z'],
])('the day %s in %s, %d later, begins at %s', (day, zone, later, start) => {
  expect(dayStart(day, zone, later)?.toISOString()).toBe(start)
})

test.each([undefined, '', 'yesterday', '2026-11', '2026-02-31', '2026-13-01', '0002-11-01'])('%j is no day', day => {
  expect(dayStart(day, mexico)).toBeUndefined()
})

test('asks for whole days of the merchant, and for the page', () => {
  expect(paramsOf({ status: 'declined', from: '2026-11-25', to: '2026-11-26', page: '2' }, ['status'], mexico)).toEqual(
    {
      status: 'declined',
      from: new Date('2026-11-25T06:00:00.000Z'),
      to: new Date('2026-11-27T05:59:59.999Z'),
      limit: 50,
      offset: 50,
    },
  )
})
