import { sucursales } from '@cobro/contracts'
import type { Request } from 'express'
import { route } from './route.ts'

const query = 'search=a?%26%22b&name=%C3%B1&limit=1&order=created_at&offset=0'

test.each([
  ['1-suc_1', { Link: '</api/sucursales?search=a%3F%26%22b&name=%C3%B1&limit=1&cursor=1-suc_1>; rel="next"' }],
  [undefined, {}],
])('a list whose next page begins after %s has the headers %j', async (next, headers) => {
  const list = route(sucursales.operations.list, async () => ({ data: [], count: 2, limit: 1, offset: 0, next }))
  const request = {
    ...{ originalUrl: `/api/sucursales?${query}`, params: {}, headers: {} },
    query: Object.fromEntries(new URLSearchParams(query)),
  } as unknown as Request
  const execution = list.accept({ request, caller: { kind: 'payer' }, idempotencyId: undefined })
  if (!('answer' in execution)) throw new Error('The route writes its response.')
  const { body, ...answer } = await execution.answer()
  expect(answer).toEqual({ status: 200, headers })
  expect(JSON.parse(body)).toEqual({ data: [], count: 2, limit: 1, offset: 0 })
})
