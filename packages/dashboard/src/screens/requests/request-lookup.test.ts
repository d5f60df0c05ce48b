import { lookUpRequests } from './request-lookup.ts'

const page = { limit: 50, offset: 0, count: 'none' } as const

test.each([
  [' req_01abc ', { request_id: 'req_01abc' }],
  ['getTransaction', { operation_id: 'getTransaction' }],
  ['  ', {}],
  [undefined, {}],
])('%j is looked up as %j', (search, params) => {
  expect(lookUpRequests({ ...page, ...(search !== undefined && { search }) })).toEqual({ ...page, ...params })
})
