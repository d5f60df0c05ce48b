import { upstreamRequestHeaders } from './request-headers.ts'

test('forwards the request headers that a service needs', () => {
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': 'k1',
    'accept-language': 'es',
    accept: '*/*',
    'acquirer-signature': 'a..b',
  }
  expect(upstreamRequestHeaders(headers)).toEqual(headers)
})

test.each([
  'authorization',
  'x-api-key',
  'cookie',
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authorization',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-merchant-id',
  'x-request-id',
  'x-cobro-identity',
  'x_cobro_identity',
  'x-cobro-anything',
  'traceparent',
  'tracestate',
  'baggage',
])('does not forward the request header %s', name => {
  expect(upstreamRequestHeaders({ [name]: 'value' })).toEqual({})
})

test('does not forward request headers that Connection names', () => {
  expect(
    upstreamRequestHeaders({ connection: 'close, Idempotency-Key', 'idempotency-key': 'k1', accept: '*/*' }),
  ).toEqual({
    accept: '*/*',
  })
})
