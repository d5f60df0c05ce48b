import { listOf, listQuery, type Operation } from '@cobro/contracts'
import type { Request } from 'express'
import { z } from 'zod'
import { route } from './route.ts'

const operation = {
  id: 'listThings',
  summary: 'x',
  tag: { name: 'x', description: 'x' },
  audit: 'api',
  service: 'checkout',
  method: 'GET',
  path: '/api/things',
  callers: ['key'],
  tenant: true,
  query: listQuery({ order: ['created_at', 'name'], filters: { name: z.string() }, search: true }),
  response: listOf(z.object({ id: z.string() })),
} as const satisfies Operation

const query = 'search=a?%26%22b&name=%C3%B1&limit=1&order=created_at&offset=0'

test.each([
  ['1-t_1', { Link: '</api/things?search=a%3F%26%22b&name=%C3%B1&limit=1&cursor=1-t_1>; rel="next"' }],
  [undefined, {}],
])('a list whose next page begins after %s has the headers %j', async (next, headers) => {
  const list = route(operation, async () => ({ data: [{ id: 't_1' }], count: 2, limit: 1, offset: 0, next }))
  const request = {
    ...{ originalUrl: `/api/things?${query}`, params: {}, headers: {} },
    query: Object.fromEntries(new URLSearchParams(query)),
  } as unknown as Request
  const execution = list.accept({ request, caller: { kind: 'payer' }, idempotencyId: undefined })
  if (!('answer' in execution)) throw new Error('The route writes its response.')
  const { body, ...answer } = await execution.answer()
  expect(answer).toEqual({ status: 200, headers })
  expect(JSON.parse(body)).toEqual({ data: [{ id: 't_1' }], count: 2, limit: 1, offset: 0 })
})
