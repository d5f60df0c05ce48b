import { parseSearch, stringifySearch } from './search.ts'

test.each([
  [{}, ''],
  [{ status: 'declined,failed', from: '2026-11-01' }, '?status=declined,failed&from=2026-11-01'],
  [{ search: 'ana & co, 50% =', empty: '' }, '?search=ana+%26+co,+50%25+%3D'],
  [{ from: '2026-11-01T00:00:00.000Z' }, '?from=2026-11-01T00:00:00.000Z'],
])('an address keeps %j', (search, text) => {
  expect(stringifySearch(search)).toBe(text)
  const { empty: _none, ...kept } = search as Record<string, string>
  expect(parseSearch(text)).toEqual(kept)
})
