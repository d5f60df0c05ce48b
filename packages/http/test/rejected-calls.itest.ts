import { once } from 'node:events'
import { connect } from 'node:net'
import { keyCaller, operatorCaller } from '../src/test-identity.ts'
import { type ServiceUnderTest, serviceUnderTest } from './service-under-test.ts'

let service: ServiceUnderTest
beforeAll(async () => {
  service = await serviceUnderTest()
})
afterAll(() => service.close())

const maxBytes = 262_144

/** A body of exactly so many bytes. */
const bodyOf = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes - '{"name":""}'.length) })
const create = (body: string | Uint8Array | ReadableStream, headers: Record<string, string> = {}) =>
  service.call('POST', '/api/things', { body, headers })

test('a body of 256 KiB is accepted and one byte more is a 413, with Content-Length or chunked', async () => {
  expect((await create(bodyOf(maxBytes))).status).toBe(201)
  const tooLarge = { status: 413, body: { error: 'payload_too_large: expected at most 256 KiB' } }
  expect(await create(bodyOf(maxBytes + 1))).toMatchObject(tooLarge)
  expect(await create(new Blob([bodyOf(1_048_576)]).stream())).toMatchObject(tooLarge)
})

test.each([
  ['a form', 'name=Box', 'application/x-www-form-urlencoded'],
  ['plain text', '{"name":"Box"}', 'text/plain'],
  ['JSONP', '{"name":"Box"}', 'application/jsonp'],
  ['JSON in another charset', '{"name":"Box"}', 'application/json; charset=iso-8859-1'],
  ['JSON without a content type', new TextEncoder().encode('{"name":"Box"}'), ''],
])('rejects a request body of %s with 415', async (_what, body, type) => {
  expect(await create(body, { 'content-type': type })).toMatchObject({
    status: 415,
    body: { error: 'unsupported_media_type: expected Content-Type: application/json' },
  })
})

test('a compressed body is a 415, to avoid decompression bombs', async () => {
  expect(await create('{"name":"Box"}', { 'content-encoding': 'gzip' })).toMatchObject({
    status: 415,
    body: { error: 'unsupported_media_type: expected no Content-Encoding' },
  })
})

test.each([
  ['broken JSON', '{"name":', 'the body is not JSON'],
  ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'the body is not JSON'],
  ['no body', '', 'body: required'],
  ['null', 'null', 'body: expected object, received null'],
  ['an array', '[]', 'body: expected object, received array'],
  ['a number for a text', '{"name":7}', 'name: expected string, received number'],
  ['a typo', '{"name":"Box","nmae":1}', 'nmae: unknown field'],
  ['two faults', '{"nmae":1}', 'name: required; nmae: unknown field'],
  [
    'a card number',
    '{"name":"4242 4242 4242 4242"}',
    'name: card numbers are not accepted here; if this is none, put a letter between its digits, or two characters between numbers',
  ],
])('rejects a request body with 400 and the reason: %s', async (_what, body, why) => {
  expect(await create(body)).toMatchObject({ status: 400, body: { error: `invalid_request: ${why}` } })
})

test.each([
  ['color=red', 'color: unknown query parameter'],
  ['name=a&name=b', 'name: expected string, received array'],
  [`name=${'x'.repeat(21)}`, 'name: too big'],
  ['name=4242424242424242', 'name: card numbers are not accepted here'],
  ['4242424242424242=1', '[card]: unknown query parameter'],
  ['name=%00', 'name: expected well-formed text'],
  ['__proto__=1', '__proto__: unknown query parameter'],
])('rejects a list with the query %s with 400', async (query, why) => {
  const answer = await service.call('GET', `/api/things?${query}`)
  expect(answer.status).toBe(400)
  expect(answer.body.error).toContain(`invalid_request: ${why}`)
})

test.each([
  ['PATCH', '/api/things', 'GET, POST'],
  ['DELETE', '/api/things', 'GET, POST'],
  ['OPTIONS', '/api/things', 'GET, POST'],
  ['PUT', '/api/things/thing_1', 'GET'],
  ['POST', '/api/things/kinds', 'GET'],
  ['GET', '/api/things/thing_1/act', 'POST'],
  ['POST', '/things/thing_1', 'GET'],
])('rejects %s %s with 405 and the allowed methods %s', async (method, path, allow) => {
  const answer = await service.call(method, path)
  expect([answer.status, answer.headers.get('allow'), answer.body]).toEqual([
    405,
    allow,
    { error: `method_not_allowed: expected ${allow}` },
  ])
})

test.each([
  '/api/nothing',
  '/api/things/',
  '/api//things',
  '/API/things',
  '/api/Things',
  '/api/things/thing_1/',
  '/api/things/nonsense',
  '/api/things/..%2f..%2fetc%2fpasswd',
  '/api/things/thing_1%00',
  '/',
  '/things/nonsense',
])('rejects the unknown or malformed path %s with 404', async path => {
  expect(await service.call('GET', path)).toMatchObject({ status: 404, body: { error: 'not_found' } })
})

test('a path that cannot be decoded is a 400', async () => {
  expect(await service.call('GET', '/api/things/%zz')).toMatchObject({ status: 400 })
})

test('a fixed path segment is matched before a parameter', async () => {
  expect((await service.call('GET', '/api/things/kinds')).body).toEqual({ data: ['box'] })
})

test('HEAD has the response of GET without the body', async () => {
  const [head, get] = [await service.call('HEAD', '/api/things'), await service.call('GET', '/api/things')]
  expect([head.status, head.text]).toEqual([200, ''])
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
  expect((await service.call('HEAD', '/api/nothing')).status).toBe(404)
  expect((await service.call('HEAD', '/api/things/thing_1/act')).status).toBe(405)
  expect((await service.call('HEAD', '/api/things', { as: null })).status).toBe(401)
})

test('pages are sent as they are written, without a credential', async () => {
  const shown = await service.call('GET', '/things/thing_1', { as: { kind: 'payer' } })
  expect([shown.status, shown.text, shown.headers.get('content-type')]).toEqual([
    200,
    '<p>thing_1</p>',
    'text/html; charset=utf-8',
  ])
  expect((await service.call('GET', '/things/thing_1', { as: keyCaller() })).status).toBe(200)
})

test('an operator must state a merchant to write', async () => {
  const body = '{"name":"Box"}'
  const unstated = await service.call('POST', '/api/things', { body, as: operatorCaller() })
  expect([unstated.status, unstated.body.error]).toEqual([400, expect.stringContaining('merchant_id: required')])
  const stated = operatorCaller('all', keyCaller().merchant_id)
  expect((await service.call('POST', '/api/things', { body, as: stated })).status).toBe(201)
})

test('no header names the server software', async () => {
  const { headers } = await service.call('GET', '/api/things')
  expect([...headers.keys()].filter(name => /powered|server|etag/.test(name))).toEqual([])
})

test('a conditional request gets the whole answer', async () => {
  // Without a Cache-Control header, fetch adds no-cache.
  const conditional = { 'if-none-match': '*', 'cache-control': 'max-age=0' }
  const answer = await service.call('GET', '/api/things', { headers: conditional })
  expect([answer.status, answer.body.data.length > 0]).toEqual([200, true])
})

test('a client that disconnects in the middle of its body has no effect', async () => {
  const headers = Object.entries(await service.identity.headers(keyCaller())).map(header => header.join(': '))
  const socket = connect(service.port, '127.0.0.1')
  await once(socket, 'connect')
  const head = [
    'POST /api/things HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    'Content-Length: 100',
    ...headers,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n{"name":`)
  socket.destroy()
  await once(socket, 'close')
  expect((await create('{"name":"Box"}')).status).toBe(201)
})
