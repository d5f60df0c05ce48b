import { lookUp } from './payment-lookup.ts'

const page = { limit: 50, offset: 0 }

test.each([
  [{}, {}],
  [{ search: ' txn_01abc ' }, { id: 'txn_01abc' }],
  [{ search: 'order 12' }, { search: 'order 12' }],
  [{ search: 'about txn_01abc' }, { search: 'about txn_01abc' }],
])('%j asks for %j', (given, expected) => {
  expect(lookUp({ ...page, ...given })).toEqual({ ...page, ...expected })
})
