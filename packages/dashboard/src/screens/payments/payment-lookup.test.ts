import { lookUp, lookUpAll } from './payment-lookup.ts'

const page = { limit: 50, offset: 0, count: 'none' } as const

test.each([
  [{}, {}],
  [{ search: ' txn_01abc ' }, { id: 'txn_01abc' }],
  [{ search: 'order 12' }, { search: 'order 12' }],
  [{ search: 'about txn_01abc' }, { search: 'about txn_01abc' }],
])('%j asks for %j', (given, expected) => {
  expect(lookUp({ ...page, ...given })).toEqual({ ...page, ...expected })
})

test('an export is asked for what the list is, without its page', () => {
  expect(lookUpAll({ limit: 50, offset: 100, count: 'none', search: 'txn_01abc' })).toEqual({ id: 'txn_01abc' })
})
