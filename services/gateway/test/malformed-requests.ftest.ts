import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { rawCall } from '@cobro/testing/raw-call'
import { type GatewayWorld, gatewayUnderTest, recordOf, send } from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())

const host = 'Host: api.cobro.test\r\n'
const close = 'Connection: close\r\n'
const key = () => `X-API-Key: ${world.azul.key}\r\n`
const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: ${'a'.repeat(100)}\r\n`).join('')

/** The request, and the status, recorded method and recorded path of its one response. */
const malformed: [what: string, text: () => string, status: number, method: string, path: string, end?: boolean][] = [
  ['no Host', () => `GET /health HTTP/1.1\r\n${close}\r\n`, 400, 'GET', '/health'],
  ['two Hosts', () => `GET /health HTTP/1.1\r\n${host}Host: evil.test\r\n${close}\r\n`, 400, 'GET', '/health'],
  ['no request line', () => 'NONSENSE\r\n\r\n', 400, '-', '-'],
  ['an unknown method', () => `FOO /health HTTP/1.1\r\n${host}\r\n`, 400, 'FOO', '/health'],
  ['HTTP/3.0', () => `GET /health HTTP/3.0\r\n${host}\r\n`, 400, 'GET', '/health'],
  ['the HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'PRI', '*'],
  ['a TLS hello', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, '-', '-'],
  ['a header without a colon', () => `GET /health HTTP/1.1\r\n${host}nonsense\r\n\r\n`, 400, 'GET', '/health'],
  ['a blank before the colon', () => `GET /health HTTP/1.1\r\n${host}X-A : 1\r\n\r\n`, 400, 'GET', '/health'],
  ['a folded header', () => `GET /health HTTP/1.1\r\n${host}X-A: 1\r\n b\r\n\r\n`, 400, 'GET', '/health'],
  ['a NUL in a header', () => `GET /health HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`, 400, 'GET', '/health'],
  ['bare line feeds', () => 'GET /health HTTP/1.1\nHost: a\n\n', 400, 'GET', '/health'],
  ['too many headers', () => `GET /health HTTP/1.1\r\n${host}${many(400)}\r\n`, 431, 'GET', '/health'],
  ['an endless target', () => `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431, '-', '-'],
  ['half a head', () => 'GET /health HTTP/1.1\r\nHos', 400, '-', '-', true],
  [
    'two lengths',
    () => `POST /a HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    400,
    'POST',
    '/a',
  ],
  [
    'a length and chunks',
    () => `POST /a HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'POST',
    '/a',
  ],
  [
    'an unknown coding',
    () => `POST /checkout/v1/sessions HTTP/1.1\r\n${host}${key()}Transfer-Encoding: xchunked\r\n\r\n`,
    400,
    'POST',
    '/checkout/v1/sessions',
  ],
  ['an invalid length', () => `POST /a HTTP/1.1\r\n${host}Content-Length: +5\r\n\r\nabcde`, 400, 'POST', '/a'],
  [
    'a bad chunk',
    () => `POST /checkout/v1/sessions HTTP/1.1\r\n${host}${key()}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
    400,
    'POST',
    '/checkout/v1/sessions',
  ],
  [
    'half a body',
    () => `POST /checkout/v1/sessions HTTP/1.1\r\n${host}${key()}Content-Length: 10\r\n\r\nabc`,
    400,
    'POST',
    '/checkout/v1/sessions',
    true,
  ],
  [
    'an unknown Expect',
    () => `POST /a HTTP/1.1\r\n${host}${close}Expect: 200-ok\r\nContent-Length: 0\r\n\r\n`,
    417,
    'POST',
    '/a',
  ],
  ['CONNECT', () => `CONNECT evil.test:443 HTTP/1.1\r\n${host}\r\n`, 405, 'CONNECT', 'evil.test:443'],
  [
    'an absolute target',
    () => `GET http://evil.test/health HTTP/1.1\r\n${host}${close}\r\n`,
    400,
    'GET',
    'http://evil.test/health',
  ],
  ['a target without a path', () => `GET foo://a HTTP/1.1\r\n${host}${close}\r\n`, 400, 'GET', 'foo://a'],
  ...['foo://a', '//u@h#x', 'http://a%/'].map((target): (typeof malformed)[number] => [
    `the target ${target} and a bad chunk`,
    () => `POST ${target} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
    ...([400, 'POST', target.replace('u@h#x', 'h')] as const),
  ]),
  ['the target *', () => `OPTIONS * HTTP/1.1\r\n${host}${close}\r\n`, 400, 'OPTIONS', '*'],
  ['TRACE', () => `TRACE /health HTTP/1.1\r\n${host}${close}\r\n`, 405, 'TRACE', '/health'],
]

test.each(malformed.map(([what, ...rest]) => [what, rest] as const))(
  'answers and records a request with %s once, with a request id',
  async (_what, [text, status, method, path, end]) => {
    const answers = await rawCall(world.port, Buffer.from(text(), 'latin1'), { end: end ?? false })
    expect(answers.map(answer => answer.status)).toEqual([status])
    const [answer] = answers
    const requestId = answer?.headers['x-request-id'] ?? ''
    expect(isId('req', requestId)).toBe(true)
    expect(Object.keys(JSON.parse(answer?.body ?? ''))).toEqual(['error'])
    expect(answer?.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer?.headers['x-content-type-options']).toBe('nosniff')
    const record = await recordOf(world, requestId)
    expect(record.data).toMatchObject({ status_code: status, method, path })
  },
)

test('answers a head that arrives too slowly with 408', async () => {
  const answers = await rawCall(world.port, `GET /health HTTP/1.1\r\n${host}X-Slow: `)
  expect(answers.map(answer => answer.status)).toEqual([408])
  expect((await recordOf(world, answers[0]?.headers['x-request-id'] ?? '')).data.status_code).toBe(408)
})

test('answers a malformed request after the valid one before it, each with its own id', async () => {
  const answers = await rawCall(world.port, `GET /.well-known/jwks.json HTTP/1.1\r\n${host}\r\nNONSENSE\r\n\r\n`)
  expect(answers.map(answer => answer.status)).toEqual([200, 400])
  const ids = answers.map(answer => answer.headers['x-request-id'] ?? '')
  expect(new Set(ids).size).toBe(2)
  const records = await Promise.all(ids.map(id => recordOf(world, id)))
  expect(records.map(record => record.data.status_code)).toEqual([200, 400])
})

test('answers CONNECT after the valid request before it, and closes the connection', async () => {
  const connect = `CONNECT evil.test:443 HTTP/1.1\r\n${host}\r\n`
  const answers = await rawCall(world.port, `GET /.well-known/jwks.json HTTP/1.1\r\n${host}\r\n${connect}${connect}`)
  expect(answers.map(answer => answer.status)).toEqual([200, 405])
  for (const { status, headers } of answers) {
    expect((await recordOf(world, headers['x-request-id'] ?? '')).data.status_code).toBe(status)
  }
})

test('records a request of a disconnected client only if its head was complete', async () => {
  const before = callsOnRecord().length
  const socket = connect(world.port, '127.0.0.1')
  await once(socket, 'connect')
  await new Promise(resolve => socket.write('GET /health HTTP/1.1\r\nHos', resolve))
  socket.resetAndDestroy()
  await once(socket, 'close')
  const { requestId } = await send(world.url, '/health')
  await recordOf(world, requestId)
  expect(callsOnRecord()).toHaveLength(before + 1)

  const whole = connect(world.port, '127.0.0.1')
  await once(whole, 'connect')
  const agent = 'gone at once'
  await new Promise(resolve => whole.write(`GET /health HTTP/1.1\r\n${host}User-Agent: ${agent}\r\n\r\n`, resolve))
  whole.destroy()
  await waitFor(() => callsOnRecord().some(({ data }) => data.user_agent === agent))
})

test('answers an upgrade request as an ordinary request', async () => {
  const upgrade = `Connection: Upgrade, close\r\nUpgrade: websocket\r\n`
  const answers = await rawCall(world.port, `GET /.well-known/jwks.json HTTP/1.1\r\n${host}${upgrade}\r\n`)
  expect(answers.map(answer => answer.status)).toEqual([200])
  await recordOf(world, answers[0]?.headers['x-request-id'] ?? '')
})

const callsOnRecord = () => world.tap.messages.filter(({ name }) => name === 'http.request')

test('records nothing for a connection that sends nothing', async () => {
  const before = world.tap.messages.length
  expect(await rawCall(world.port, '', { end: true })).toEqual([])
  const { requestId } = await send(world.url, '/health')
  await recordOf(world, requestId)
  expect(world.tap.messages.slice(before).filter(({ name }) => name === 'http.request')).toHaveLength(1)
})

// After the tests that count calls, because some of these are recorded late.
test('survives clients that disconnect while they are being rejected', async () => {
  const before = callsOnRecord().length
  const agent = 'breaks off'
  const rejected = [
    `CONNECT evil.test:443 HTTP/1.1\r\n${host}User-Agent: ${agent}\r\n\r\n`,
    `POST /a HTTP/1.1\r\n${host}User-Agent: ${agent}\r\nExpect: 200-ok\r\n\r\n`,
    'NONSENSE\r\n\r\n',
  ]
  const breakOff = async (text: string, afterMs: number) => {
    const socket = connect(world.port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    await new Promise(resolve => socket.write(text, resolve))
    await sleep(afterMs)
    socket.resetAndDestroy()
  }
  for (const text of rejected) await Promise.all(Array.from({ length: 60 }, (_, i) => breakOff(text, (i % 6) / 2)))
  const { requestId } = await send(world.url, '/health')
  await recordOf(world, requestId)
  await waitFor(() => callsOnRecord().length > before + 60)
})

test('records none of the malformed requests twice', () => {
  const ids = callsOnRecord().map(({ request_id }) => request_id)
  expect(new Set(ids).size).toBe(ids.length)
})
