import { ApiError, declineReasons, type ErrorCode, errorStatus, newId } from '@cobro/contracts'
import { updateCallContext } from '@cobro/runtime'
import { internalHeaders } from '../src/internal-headers.ts'
import { reply } from '../src/route.ts'
import { keyCaller } from '../src/test-identity.ts'
import { type ServiceUnderTest, serviceUnderTest } from './service-under-test.ts'

let service: ServiceUnderTest
beforeEach(async () => {
  service = await serviceUnderTest()
})
afterEach(() => service.close())

const failWith = (error: unknown) => service.onAct(() => Promise.reject(error))

test.each(Object.entries(errorStatus) as [ErrorCode, number][])(
  'the error %s has the status %i and its text',
  async (code, status) => {
    failWith(new ApiError(code, 'why it is so'))
    const answer = await service.act()
    const error = code === 'unauthorized' ? code : `${code}: why it is so`
    expect([answer.status, answer.body]).toEqual([status, status === 402 ? { error, declined: true } : { error }])
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  },
)

test('an error without a detail has only its code, and sends its headers', async () => {
  failWith(new ApiError('rate_limited', undefined, { headers: { 'Retry-After': '7' } }))
  const answer = await service.act()
  expect([answer.body, answer.headers.get('retry-after')]).toEqual([{ error: 'rate_limited' }, '7'])
})

test('a decline has its reason as the code', async () => {
  for (const reason of declineReasons) {
    failWith(new ApiError(reason))
    expect((await service.act()).body).toEqual({ error: reason, declined: true })
  }
})

test('an unexpected error is a 500 without details, logged with its cause under the request id', async () => {
  const cause = Object.assign(new Error('select * from users where password = $1'), {
    code: '42P01',
    detail: 'hunter2',
  })
  failWith(new Error('/srv/cobro/src/pay.ts:7 failed', { cause }))
  const headers = await service.identity.headers(keyCaller())
  const answer = await service.act(headers)
  expect([answer.status, answer.text]).toEqual([500, '{"error":"internal_error"}'])
  expect([...answer.headers].flat().join(' ')).not.toMatch(/srv\/|select|hunter2/)
  expect(service.logged).toMatchObject([
    {
      level: 'error',
      message: 'internal_error',
      error: { message: '/srv/cobro/src/pay.ts:7 failed', cause: { detail: 'hunter2' } },
      request_id: headers[internalHeaders.requestId],
    },
  ])
})

test.each<[string, unknown]>([
  ['a thrown text', 'secret text'],
  ['a thrown nothing', undefined],
  ['a thrown null', null],
  ['a thrown object', { secret: 'text', status: 204 }],
  ['an error with a status of its own', Object.assign(new Error('secret text'), { status: 418, expose: true })],
])('throwing %s is a 500', async (_what, thrown) => {
  failWith(thrown)
  const answer = await service.act()
  expect([answer.status, answer.text]).toEqual([500, '{"error":"internal_error"}'])
})

test('an unreachable database is a 503 and a short log line', async () => {
  failWith(new Error('away'))
  expect(await service.act()).toMatchObject({ status: 503, body: { error: 'unavailable' } })
  expect(service.logged).toMatchObject([{ level: 'warn', message: 'unavailable', cause: 'away' }])
})

test.each([
  [
    'its cause',
    new ApiError('unavailable', undefined, { cause: new Error('connect ECONNREFUSED') }),
    'connect ECONNREFUSED',
  ],
  [
    'the innermost',
    new ApiError('timeout', 'slow', { cause: new Error('outer', { cause: new Error('inner') }) }),
    'inner',
  ],
  ['a code', new ApiError('unavailable', undefined, { cause: new AggregateError([], '') }), 'ECONNREFUSED'],
  ['its own words', new ApiError('unavailable', 'no broker'), 'unavailable: no broker'],
])('an outage is logged by %s, without a stack', async (_what, error, cause) => {
  if (error.cause instanceof AggregateError) Object.assign(error.cause, { code: 'ECONNREFUSED' })
  failWith(error)
  await service.act()
  expect(service.logged).toEqual([expect.objectContaining({ level: 'warn', message: error.message, cause })])
  expect(service.logged[0]).not.toHaveProperty('error')
})

test('a response that fails in the middle is cut off and logged', async () => {
  failWith(new Error('no more rows'))
  await expect(service.call('GET', '/things/thing_1', { as: { kind: 'payer' } })).rejects.toThrow('terminated')
  expect(service.logged).toMatchObject([{ level: 'error', error: { message: 'no more rows' } }])
})

test("a caller's error is not logged as an error, and its cause is not sent", async () => {
  failWith(new ApiError('invalid_request', 'name: too long', { cause: new Error('column name is varchar(5)') }))
  expect((await service.act()).text).toBe('{"error":"invalid_request: name: too long"}')
  expect(service.logged).toEqual([])
})

test('the response schema drops undeclared fields', async () => {
  const read = await service.call('GET', '/api/things/thing_7')
  expect(read.body).toEqual({ data: { id: 'thing_7', name: 'Box', made_at: '1970-01-01T00:00:00.000Z' } })
  const list = await service.call('GET', '/api/things')
  expect(list.body.data).toHaveLength(2)
  expect(read.text + list.text).not.toContain('c0ffee')
})

test('a response that does not match its schema is a 500 without any of its fields', async () => {
  service.onAct(async () => ({ done: 'c0ffee' }))
  const answer = await service.act()
  expect([answer.status, answer.text]).toEqual([500, '{"error":"internal_error"}'])
  expect(service.logged).toHaveLength(1)
})

test('a route may return another status', async () => {
  service.onAct(async () => reply(202, { done: false }))
  expect(await service.act()).toMatchObject({ status: 202, body: { done: false } })
})

test('the lifecycle and merchant of a call are sent to the gateway, also when it is rejected', async () => {
  const about = { correlation_id: newId('corr'), merchant_id: newId('mrc') }
  const sentHeaders = async () => {
    const { headers } = await service.act()
    return [headers.get(internalHeaders.correlationId), headers.get(internalHeaders.merchantId)]
  }
  service.onAct(async () => {
    updateCallContext(about)
    return { done: true }
  })
  expect(await sentHeaders()).toEqual([about.correlation_id, about.merchant_id])
  service.onAct(async () => {
    updateCallContext(about)
    throw new ApiError('conflict')
  })
  expect(await sentHeaders()).toEqual([about.correlation_id, about.merchant_id])
})

test("the caller's merchant is sent to the gateway before anything is loaded", async () => {
  const caller = keyCaller()
  const { headers } = await service.call('GET', '/api/things', { as: caller })
  expect(headers.get(internalHeaders.merchantId)).toBe(caller.merchant_id)
  expect(headers.get(internalHeaders.correlationId)).toBeNull()
})

test('/health/live and /health/ready need no identity', async () => {
  expect(await service.call('GET', '/health/live', { as: null })).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await service.call('GET', '/health/ready', { as: null })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  })
  const unready = await serviceUnderTest(() => Promise.reject(new Error('postgres://cobro:hunter2@db is away')))
  const answer = await unready.call('GET', '/health/ready', { as: null })
  expect([answer.status, answer.text]).toEqual([503, '{"error":"unavailable"}'])
  expect((await unready.call('GET', '/health/live', { as: null })).status).toBe(200)
  expect(unready.logged).toMatchObject([{ level: 'warn', message: 'not ready' }])
  await unready.close()
})

test('responses of a deprecated operation, errors too, say since when and until when it exists', async () => {
  const headers = await service.identity.headers(keyCaller())
  for (const path of ['/api/things/kinds', '/api/things/kinds?unknown=1']) {
    const answer = await fetch(`${service.url}${path}`, { headers })
    expect(answer.headers.get('deprecation')).toBe('@1798761600')
    expect(answer.headers.get('sunset')).toBe('Thu, 01 Jul 2027 00:00:00 GMT')
  }
  const other = await fetch(`${service.url}/api/things`, { headers })
  expect([other.headers.has('deprecation'), other.headers.has('sunset')]).toEqual([false, false])
})

test.each<[string, ErrorCode]>([
  ['an error', 'conflict'],
  ['a decline', 'insufficient_funds'],
])('%s has its code in a header for the gateway', async (_what, code) => {
  failWith(new ApiError(code, 'why it is so'))
  expect((await service.act()).headers.get(internalHeaders.errorCode)).toBe(code)
})

test('a success has no error code', async () => {
  service.onAct(async () => ({ done: true }))
  const { status, headers } = await service.act()
  expect([status, headers.has(internalHeaders.errorCode)]).toEqual([200, false])
})
