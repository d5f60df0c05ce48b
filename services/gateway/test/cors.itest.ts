import { bearer, clients, type GatewayWorld, gatewayUnderTest, recordOf, send } from './gateway-world.ts'

const dashboard = 'https://dashboard.example'

let open: GatewayWorld
let closed: GatewayWorld
let headers: Record<string, string>
beforeAll(async () => {
  open = await gatewayUnderTest(config => ({ ...config, CORS_ORIGINS: [dashboard] }))
  closed = await gatewayUnderTest()
  headers = bearer((await open.login(clients[0])).token)
})
afterAll(() => Promise.all([open.stop(), closed.stop()]))

const path = '/api/transactions'
const from = (origin: string) => ({ origin })
const preflight = (world: GatewayWorld, origin: string, at = path) =>
  fetch(`${world.url}${at}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,x-api-key',
    },
  })
const permissions = (answer: { headers: Iterable<[string, string]> }) =>
  [...answer.headers].filter(([name]) => name.startsWith('access-control-')).map(([name]) => name)

test('sends no CORS headers by default', async () => {
  expect(permissions(await send(closed.url, path, { headers: from(dashboard) }))).toEqual([])
  const answer = await preflight(closed, dashboard)
  expect([answer.status, permissions(answer)]).toEqual([405, []])
})

test('allows a configured origin to call with a token, without cookies, and to read the exposed headers', async () => {
  const answer = await send(open.url, path, { headers: { ...headers, ...from(dashboard) } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('access-control-allow-origin')).toBe(dashboard)
  expect(answer.headers.get('access-control-allow-credentials')).toBeUndefined()
  expect(answer.headers.get('vary')).toContain('Origin')
  for (const name of [
    'X-Request-Id',
    'Link',
    'X-Total-Count',
    'Retry-After',
    'RateLimit-Remaining',
    'Idempotent-Replayed',
    'Sunset',
  ]) {
    expect(answer.headers.get('access-control-expose-headers')).toContain(name)
  }
})

test('answers a CORS preflight without a credential, lists the allowed headers, and records the call', async () => {
  const answer = await preflight(open, dashboard)
  expect(answer.status).toBe(204)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': dashboard,
    'access-control-allow-methods': 'GET,POST,PUT,DELETE',
    'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key,X-Merchant-Id',
    'access-control-max-age': '600',
  })
  const record = await recordOf(open, answer.headers.get('x-request-id') ?? '')
  expect(record).toMatchObject({ actor: { type: 'payer' }, data: { method: 'OPTIONS', status_code: 204 } })
})

test('sends CORS headers with error responses too', async () => {
  const answer = await send(open.url, path, { headers: { authorization: 'Bearer nonsense', ...from(dashboard) } })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, dashboard])
})

test.each(['https://evil.example', 'https://dashboard.example.evil.example', 'http://dashboard.example', 'null'])(
  'sends no CORS headers to the origin %s',
  async origin => {
    const asked = await preflight(open, origin)
    expect([asked.status, permissions(asked), asked.headers.get('vary')]).toEqual([405, [], 'Origin'])
    const answer = await send(open.url, path, { headers: { ...headers, ...from(origin) } })
    expect([answer.status, permissions(answer), answer.headers.get('vary')]).toEqual([200, [], 'Origin'])
  },
)

test('drops the CORS headers of a service and keeps its Vary header', async () => {
  open.upstream.answer = (_request, response) => {
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', Vary: 'Accept-Language' })
    response.end('{}')
  }
  const answer = await send(open.url, path, { headers: { ...headers, ...from('https://evil.example') } })
  expect([permissions(answer), answer.headers.get('vary')]).toEqual([[], 'Origin, Accept-Language'])
  open.upstream.reset()
})

test('counts CORS preflights against the rate limit of the address', async () => {
  const answer = await preflight(open, dashboard)
  expect(Number(answer.headers.get('ratelimit-remaining'))).toBeGreaterThan(0)
})

test.each(['/checkout/v1/sessions', '/hosted/v1/checkout/cs_1', '/health'])(
  'sends no CORS headers outside of /api, as for %s',
  async at => {
    expect(permissions(await preflight(open, dashboard, at))).toEqual([])
  },
)
