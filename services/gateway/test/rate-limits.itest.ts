import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { newApiKey } from '../src/api-keys/api-key-format.ts'
import { bearer, clients, type GatewayWorld, gatewayUnderTest, recordOf, send, start, token } from './gateway-world.ts'

// No window ends during a test, except that of users, for which one test waits.
const limits = { key: 5, user: 4, address: 6, guess: 7, login: 3 }
const window = 600

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest(config => ({
    ...config,
    RATE_LIMIT_KEY: { calls: limits.key, seconds: window },
    RATE_LIMIT_USER: { calls: limits.user, seconds: 1 },
    RATE_LIMIT_ADDRESS: { calls: limits.address, seconds: window },
    RATE_LIMIT_GUESS: { calls: limits.guess, seconds: window },
    RATE_LIMIT_LOGIN: { calls: limits.login, seconds: window },
  }))
})
afterAll(() => world.stop())

/** Each test has a gateway of its own, which has counted nothing yet but one login. */
let gateway: Awaited<ReturnType<typeof start>>
let userToken: string
beforeEach(async () => {
  gateway = await startGateway()
  world.upstream.reset()
  userToken = (await send(gateway.url, '/api/auth/login', { body: clients[0] })).body.token
})
afterEach(() => gateway.stop())

let gateways = 0
async function startGateway() {
  const started = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/${++gateways}` })
  await waitFor(async () => (await fetch(`${started.url}/health/ready`)).ok)
  return started
}

const transactions = '/api/transactions'
const ask = (headers: Record<string, string> = {}, path = transactions) => send(gateway.url, path, { headers })
const statuses = async (count: number, headers: Record<string, string>, path?: string) => {
  const seen: number[] = []
  for (let i = 0; i < count; i++) seen.push((await ask(headers, path)).status)
  return seen
}
const times = (count: number, status: number) => Array(count).fill(status)

test('limits the calls of an API key, reports the limit on each response, and answers 429 with Retry-After beyond it', async () => {
  const first = await ask(token(world.azul.key))
  expect(Object.fromEntries([...first.headers].filter(([name]) => name.startsWith('ratelimit')))).toEqual({
    'ratelimit-policy': `${limits.key};w=${window}`,
    'ratelimit-limit': String(limits.key),
    'ratelimit-remaining': String(limits.key - 1),
    'ratelimit-reset': String(window),
  })
  expect(await statuses(limits.key, token(world.azul.key))).toEqual([...times(limits.key - 1, 200), 429])
  const rejected = await ask(token(world.azul.key))
  expect([rejected.status, rejected.body]).toEqual([
    429,
    { error: `rate_limited: expected at most ${limits.key} calls in ${window} s` },
  ])
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(window - 60)
  expect(Number(rejected.headers.get('retry-after'))).toBeLessThanOrEqual(window)
  expect(rejected.headers.get('ratelimit-remaining')).toBe('0')
  expect(world.upstream.received).toHaveLength(limits.key)
  expect(await recordOf(world, rejected.requestId)).toMatchObject({
    actor: { type: 'key' },
    merchant_id: world.azul.merchant_id,
    data: { status_code: 429 },
  })
})

test('one caller uses up only its own rate limit', async () => {
  await statuses(limits.key + 1, token(world.azul.key))
  expect((await ask(token(world.rojo.key))).status).toBe(200)
  expect((await ask(bearer(userToken))).status).toBe(200)
  expect((await ask({}, `/hosted/v1/checkout/${newId('cs')}`)).status).toBe(200)
})

test("counts a user's calls against the user limit, and starts again in a new window", async () => {
  // On a busy machine a window can end before it is used up; then the next one is.
  await waitFor(async () => (await ask(bearer(userToken))).status === 429, { intervalMs: 1 })
  await waitFor(async () => (await ask(bearer(userToken))).status === 200)
})

test("counts payers' calls by address across operations", async () => {
  const page = () => `/hosted/v1/checkout/${newId('cs')}`
  const seen: number[] = []
  for (let i = 0; i <= limits.address; i++) seen.push((await ask({}, i % 2 ? page() : '/.well-known/jwks.json')).status)
  expect(seen).toEqual([...times(limits.address, 200), 429])
})

const guess = () => ask(token(newApiKey('sandbox')))
const guesses = async (count: number) => {
  const seen: number[] = []
  for (let i = 0; i < count; i++) seen.push((await guess()).status)
  return seen
}

test('counts invalid credentials of all kinds by address, without affecting payers at that address', async () => {
  expect(await guesses(limits.guess - 2)).toEqual(times(limits.guess - 2, 401))
  expect((await ask(token('vk_test_typo'))).status).toBe(401)
  const last = await ask(bearer('nonsense'))
  expect([last.status, last.headers.get('ratelimit-remaining')]).toEqual([401, '0'])
  const rejected = await guess()
  expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect(await recordOf(world, rejected.requestId)).toMatchObject({ actor: { id: null }, data: { status_code: 429 } })
  expect((await ask({}, `/hosted/v1/checkout/${newId('cs')}`)).status).toBe(200)
})

test('invalid credentials from an address do not block valid ones, new or cached', async () => {
  expect((await ask(token(world.azul.key))).status).toBe(200)
  await guesses(limits.guess)
  expect(await guesses(20)).toEqual(times(20, 429))
  expect((await ask(token(world.azul.key))).status).toBe(200)
  expect((await ask(bearer(userToken))).status).toBe(200)
  expect((await ask(token(world.rojo.key))).status).toBe(200)
})

test('counts calls that are rejected before the caller is known', async () => {
  const two = { ...token(newApiKey('sandbox')), 'x-api-key': newApiKey('sandbox') }
  const seen: number[] = []
  for (let i = 0; i <= limits.address; i++) seen.push((await ask(two)).status)
  expect(seen).toEqual([...times(limits.address, 400), 429])
})

test('counts calls of a revoked API key as invalid credentials', async () => {
  expect((await ask(token(world.rojo.key))).status).toBe(200)
  const setStatus = (status: string) => world.database.query('update gateway.api_keys set status = $1', [status])
  await setStatus('revoked')
  try {
    await waitFor(async () => (await ask(token(world.azul.key))).status === 429)
  } finally {
    await setStatus('active')
  }
})

test('a burst of calls of a new API key causes one look-up and no invalid credentials', async () => {
  const burst = await Promise.all(Array.from({ length: limits.key }, () => ask(token(world.azul.key))))
  expect(burst.map(answer => answer.status)).toEqual(times(limits.key, 200))
  expect((await guess()).headers.get('ratelimit-remaining')).toBe(String(limits.guess - 1))
})

test.each([
  ['requests to unknown paths', 'GET', '/wp-login.php', 404],
  ['requests with unknown methods', 'PATCH', transactions, 405],
  ['requests to malformed paths', 'GET', '/api//transactions', 404],
])('counts %s by address', async (_what, method, path, status) => {
  const seen: number[] = []
  for (let i = 0; i <= limits.address; i++) seen.push((await send(gateway.url, path, { method })).status)
  expect(seen).toEqual([...times(limits.address, status), 429])
})

test('counts calls without a credential once each, by address', async () => {
  expect(await statuses(limits.address + 1, {})).toEqual([...times(limits.address, 401), 429])
})

test.each([
  ['logins', '/api/auth/login', { email: 'unknown@cobro.test', password: 'wrong' }, 401],
  ['refreshes', '/api/auth/refresh', { refresh_token: 'wrong' }, 401],
  ['setup tokens', '/api/auth/password', { token: 'wrong', password: 'a good long password' }, 401],
])('limits %s before comparing any password', async (_what, path, body, status) => {
  // The login of the setup has used one call.
  const seen: number[] = []
  for (let i = 0; i < limits.login; i++) seen.push((await send(gateway.url, path, { body })).status)
  expect(seen).toEqual([...times(limits.login - 1, status), 429])
})

test('never limits health checks', async () => {
  for (const path of ['/health', '/health/live', '/health/ready']) {
    // A busy machine may take too long for a health check, which is a 503.
    expect(await statuses(limits.address * 3, {}, path)).not.toContain(429)
  }
})

test('counts calls separately in each replica', async () => {
  const second = await startGateway()
  await statuses(limits.key + 1, token(world.azul.key))
  expect((await send(second.url, transactions, { headers: token(world.azul.key) })).status).toBe(200)
  await second.stop()
})
