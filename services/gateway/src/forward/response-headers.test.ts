import { clientResponseHeaders } from './response-headers.ts'

test("forwards a service's response headers without internal and hop-by-hop headers", () => {
  const answer = clientResponseHeaders({
    'content-type': 'application/json',
    'content-length': '2',
    'idempotent-replayed': 'true',
    'set-cookie': ['a=1', 'b=2'],
    connection: 'keep-alive, X-Hop',
    'keep-alive': 'timeout=65',
    'transfer-encoding': 'chunked',
    'x-hop': '1',
    'x-request-id': 'req_1',
    'x-cobro-merchant-id': 'mrc_1',
    'x-cobro-correlation-id': 'corr_1',
    'access-control-allow-origin': '*',
    'ratelimit-limit': '1',
    'x-powered-by': 'Express',
    date: 'today',
  })
  expect(Object.fromEntries(answer)).toEqual({
    'content-type': 'application/json',
    'content-length': '2',
    'idempotent-replayed': 'true',
    'set-cookie': ['a=1', 'b=2'],
  })
})
