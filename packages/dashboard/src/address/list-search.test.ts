import { countParamsOf, filtersOf, firstMoment, lastMoment, layoutOf, pageOf, paramsOf } from './list-search.ts'

const mexico = 'America/Mexico_City'

test('the filters of an address are those that the list has and that are set', () => {
  expect(filtersOf({ status: 'declined,failed', page: '2', merchant_id: 'mrc_other', search: '' }, ['status'])).toEqual(
    {
      status: 'declined,failed',
    },
  )
})

test('the columns of an address are its layout, and no filter', () => {
  const search = { columns: 'id', status: 'declined' }
  expect([layoutOf(search), layoutOf({ status: 'declined' })]).toEqual([{ columns: 'id' }, {}])
  expect(filtersOf(search, ['status'])).toEqual({ status: 'declined' })
})

test.each([
  [{}, 1],
  [{ page: '3' }, 3],
  [{ page: '0' }, 1],
  [{ page: '-1' }, 1],
  [{ page: '1.5' }, 1],
  [{ page: 'x' }, 1],
  [{ page: '200' }, 200],
  [{ page: '201' }, 200],
  [{ page: '1e300' }, 200],
])('the page of %j is %d', (search, page) => {
  expect(pageOf(search as Record<string, string>)).toBe(page)
})

test.each([
  ['2026-11-26', mexico, '2026-11-26T06:00:00.000Z', '2026-11-27T05:59:59.999Z'],
  ['2026-12-31', mexico, '2026-12-31T06:00:00.000Z', '2027-01-01T05:59:59.999Z'],
  // Tijuana: the clocks go back on the first of November and forward on the eighth of March.
  ['2026-11-01', 'America/Tijuana', '2026-11-01T07:00:00.000Z', '2026-11-02T07:59:59.999Z'],
  ['2026-03-08', 'America/Tijuana', '2026-03-08T08:00:00.000Z', '2026-03-09T06:59:59.999Z'],
  ['2026-11-26', 'Asia/Kolkata', '2026-11-25T18:30:00.000Z', '2026-11-26T18:29:59.999Z'],
  ['2026-11-26', 'UTC', '2026-11-26T00:00:00.000Z', '2026-11-26T23:59:59.999Z'],
  ['2026-11-26T05:59:59.999Z', mexico, '2026-11-26T05:59:59.999Z', '2026-11-26T05:59:59.999Z'],
  ['2026-11-26T05:00Z', mexico, '2026-11-26T05:00:00.000Z', '2026-11-26T05:00:00.000Z'],
])('%s in %s is from %s to %s', (text, zone, first, last) => {
  expect([firstMoment(text, zone)?.toISOString(), lastMoment(text, zone)?.toISOString()]).toEqual([first, last])
})

test.each([
  ...[undefined, '', 'yesterday', '2026-11', '2026-02-31', '2026-13-01', '0002-11-01'],
  ...[
    '2026-02-31T05:00:00Z',
    '2026-11-26T05:00:00',
    '2026-11-26T25:00:00Z',
    '2026-11-26T05:00:00+01:00',
    '2026-11-26Z',
  ],
])('%j is neither a day nor a moment', text => {
  expect([firstMoment(text, mexico), lastMoment(text, mexico)]).toEqual([undefined, undefined])
})

test('asks for whole days of the merchant, and for the page', () => {
  expect(paramsOf({ status: 'declined', from: '2026-11-25', to: '2026-11-26', page: '2' }, ['status'], mexico)).toEqual(
    {
      status: 'declined',
      from: new Date('2026-11-25T06:00:00.000Z'),
      to: new Date('2026-11-27T05:59:59.999Z'),
      limit: 50,
      offset: 50,
      count: 'none',
    },
  )
})

test('no page is beyond the first ten thousand rows', () => {
  expect(paramsOf({ page: '900000000' }, [], mexico).offset).toBe(9_950)
})

test('the rows of all pages are counted by the same call', () => {
  const asked = ['1', '7'].map(page => countParamsOf(paramsOf({ status: 'declined', page }, ['status'], mexico)))
  const counted = { status: 'declined', limit: 1, offset: 0, count: 'exact' }
  expect(asked).toEqual([counted, counted])
})
