import { rawCall } from '@cobro/testing/raw-call'
import { smugglingRequests } from '@cobro/testing/smuggling-requests'
import { type GatewayWorld, gatewayUnderTest, recordOf, send as sendCall } from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())
beforeEach(() => world.upstream.reset())

const path = '/checkout/v1/sessions'
const chunked = 'Transfer-Encoding: chunked\r\n'
const credentials = () => `Host: a\r\nX-API-Key: ${world.azul.key}\r\n`
/** The request that is smuggled behind another one. Its answer depends on no other server. */
const hidden = 'GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\n\r\n'
const last = 'GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

const post = (headers: string, body = '') => `POST ${path} HTTP/1.1\r\n${credentials()}${headers}\r\n${body}`
const get = (line: string, headers = '') => `${line}\r\n${credentials()}Connection: close\r\n${headers}\r\n`
const send = (text: string) => rawCall(world.port, Buffer.from(text, 'latin1'))
const each = <T>(items: readonly T[]) => items.map(item => [JSON.stringify(item), item] as const)

/** Expects one error response, no reading of the rest, and no call to a service. */
async function expectRejected(text: string, status = 400): Promise<void> {
  const answers = await send(text)
  expect(answers.map(answer => answer.status)).toEqual([status])
  expect(Object.keys(JSON.parse(answers[0]?.body ?? ''))).toEqual(['error'])
  expect(world.upstream.received).toEqual([])
}

describe('ambiguous body framing (request smuggling)', () => {
  test.each(smugglingRequests(path))('rejects %s', (_what, request, status) =>
    expectRejected(request(credentials()), status),
  )

  test('closes the connection after an ambiguous request whose expectation is rejected', async () => {
    const answers = await send(`GET /health HTTP/1.1\r\nHost: a!b\r\nExpect: x\r\n\r\n${hidden.repeat(100)}`)
    expect(answers.map(answer => answer.status)).toEqual([417])
  })

  test('handles no request that follows an ambiguous one', async () => {
    const { requestId } = await sendCall(world.url, '/health')
    await recordOf(world, requestId)
    const paths = world.tap.messages.map(({ data }) => data.path)
    expect(paths).toContain(path)
    expect(paths).not.toContain('/smuggled')
  })
})

describe('syntax errors in the request head', () => {
  test.each(
    each([
      'GET\t/health\tHTTP/1.1',
      'get /health HTTP/1.1',
      ' GET /health HTTP/1.1',
      'GET  /health HTTP/1.1',
      'GET /health  HTTP/1.1',
      'GET   /health   HTTP/1.1',
      'GET /health HTTP/1.1x',
      'GET /health HTTP/1.1 ',
      'GET /health http/1.1',
      'GET /health HTTP/1.10',
      'GET /health HTTP/1.2',
      'GET /health HTTP/0.9',
      'GET /health HTTP/1',
      'GET /health',
      'GET /health x HTTP/1.1',
      'GET /h\0ealth HTTP/1.1',
      'GET /h\x01ealth HTTP/1.1',
      'GET /h\xe9alth HTTP/1.1',
    ]),
  )('rejects the request line %s', (_name, line) => expectRejected(get(line)))

  test.each(
    each([
      ': a',
      'X A: a',
      'X(A): a',
      'X-\0A: a',
      'X-\xe9: a',
      'X-A: a\x01b',
      'X-A: a\x7fb',
      'X-A: a\rX-B: b',
      'X-A: a\nX-B: b',
      'X-A: a\r\n\tb',
    ]),
  )('rejects the header %s', (_name, header) => expectRejected(get('GET /health HTTP/1.1', `${header}\r\n`)))

  test.each(each(['a, b', 'a b', 'u@a', 'a/b', 'a?b', '{a}', 'a:b', 'a:80:80', 'a\\b', '[::1', 'a%2fb']))(
    'rejects Host %s',
    (_name, host) => expectRejected(`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
  )

  test.each(
    each([
      'http://evil.test/api/transactions',
      'https://a/health',
      'http://u:p@a/health',
      'file:///etc/passwd',
      '?a=1',
      '*',
      'api/transactions',
      '/api/transactions?search=a%0d%0aX-A:%20b',
      '/api/transactions?search=a%0Ab',
    ]),
  )('rejects the request target %s', (_name, target) => expectRejected(get(`GET ${target} HTTP/1.1`)))
})

describe('unusual but valid requests', () => {
  test.each(each(['a', 'a:443', 'api.cobro.test', '127.0.0.1:4000', '[::1]:80', '']))(
    'accepts Host %s',
    async (_name, host) => {
      const answers = await send(`GET /.well-known/jwks.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect(answers.map(answer => answer.status)).toEqual([200])
    },
  )

  test.each(each(['5\r\nabcde\r\n0\r\n\r\n', '05\r\nabcde\r\n0\r\n\r\n', '2;a=b\r\nab\r\n3\r\ncde\r\n0\r\n\r\n']))(
    'accepts the chunks %s',
    async (_name, body) => {
      const answers = await send(post(chunked, body) + last)
      expect(answers.map(answer => answer.status)).toEqual([200, 200])
      expect(world.upstream.received.map(request => request.body)).toEqual(['abcde'])
    },
  )

  test('accepts trailers and does not treat them as headers', async () => {
    const trailers = `X-Cobro-Identity: forged\r\nIdempotency-Key: k\r\n`
    const answers = await send(post(chunked, `5\r\nabcde\r\n0\r\n${trailers}\r\n`) + last)
    expect(answers.map(answer => answer.status)).toEqual([200, 200])
    const [request] = world.upstream.received
    expect([request?.body, request?.headers['idempotency-key']]).toEqual(['abcde', undefined])
    expect(await world.callerOf(request)).toMatchObject({ merchant_id: world.azul.merchant_id })
  })

  test.each([
    ['a read', () => `GET /api/transactions HTTP/1.1\r\n${credentials()}`, 200],
    ['a request to an unknown path', () => `POST /unknown HTTP/1.1\r\n${credentials()}`, 404],
    ['a request without a credential', () => `POST ${path} HTTP/1.1\r\nHost: a\r\n`, 401],
  ])('does not treat the body of %s as a request of its own', async (_what, head, status) => {
    const answers = await send(`${head()}Content-Length: ${hidden.length}\r\n\r\n${hidden}${last}`)
    expect(answers.map(answer => answer.status)).toEqual([status, 200])
    expect(world.upstream.received.map(request => request.body).join('')).toBe('')
  })

  test('accepts requests that arrive byte by byte, after empty lines, and behind each other', async () => {
    const head = `GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\n\r\n`
    const upload = post('Content-Length: 40000\r\n', 'a'.repeat(40_000))
    const answers = await send(`\r\n${head}${upload}${head}\r\n\r\n${last}`)
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200])
    const slow = await rawCall(world.port, head + last, { byByte: true })
    expect(slow.map(answer => answer.status)).toEqual([200, 200])
  })

  test('ignores an upgrade to HTTP/2', async () => {
    const offer = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    const answers = await send(`GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\n${offer}\r\n`)
    expect(answers.map(answer => answer.status)).toEqual([200])
  })
})

test.each(each(['/checkout/v1/sessions', '/api/auth/login', '/api/api-keys', '/nowhere', '/health']))(
  'answers a malformed chunk of a call of %s once, records that answer, and logs no error',
  async (_name, to) => {
    for (const chunk of ['ZZ\r\n', '2\r\n{}\r\nZZ\r\n', `5;${'a'.repeat(20_000)}\r\nabcde\r\n`]) {
      const logged = world.lines.length
      const head = `POST ${to} HTTP/1.1\r\n${credentials()}Content-Type: application/json\r\n${chunked}\r\n`
      const [answer, ...more] = await send(`${head}${chunk}`)
      expect(more).toEqual([])
      expect(Object.keys(JSON.parse(answer?.body ?? ''))).toEqual(['error'])
      const { data } = await recordOf(world, answer?.headers['x-request-id'] ?? '')
      expect([to, data.status_code]).toEqual([to, answer?.status])
      expect(world.lines.slice(logged).filter(({ level, err }) => level !== 'info' || err)).toEqual([])
    }
  },
)
