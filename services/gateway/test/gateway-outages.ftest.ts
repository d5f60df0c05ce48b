import { reveal, secret } from '@cobro/runtime'
import { type TcpProxy, tcpProxy, waitFor } from '@cobro/testing'
import { type GatewayWorld, gatewayUnderTest, operator, recordOf, send, start, token } from './gateway-world.ts'

let world: GatewayWorld
let broker: TcpProxy
let postgres: TcpProxy
beforeAll(async () => {
  world = await gatewayUnderTest(async config => {
    broker = await tcpProxy(reveal(config.AMQP_URL))
    postgres = await tcpProxy(reveal(config.DATABASE_URL))
    return { ...config, AMQP_URL: secret(broker.url), DATABASE_URL: secret(postgres.url) }
  })
})
// A test that fails must not leave a server unreachable for the next one.
afterEach(() => Promise.all([broker.open(), postgres.open()]))
afterAll(async () => {
  await world.stop()
  await broker.close()
  await postgres.close()
})

const call = () => send(world.url, '/api/transactions', { headers: token(world.azul.key) })
const health = () => send(world.url, '/health')
/** Waits for a state. Services that answer too late on a busy machine can be away for a moment. */
const becomes = (state: object) =>
  waitFor(async () => {
    const { status, body } = await health()
    expect([status, body]).toEqual([200, state])
    return true
  })
const present = {
  gateway: 'ok',
  postgres: 'ok',
  checkout: 'ok',
  transactions: 'ok',
  'webhooks-dispatcher': 'ok',
  'audit-log': 'ok',
  rabbitmq: 'ok',
}

test('reports ok while PostgreSQL and RabbitMQ are up', async () => {
  await becomes({ status: 'ok', services: present })
  expect((await send(world.url, '/health/live')).status).toBe(200)
  expect((await send(world.url, '/health/ready')).status).toBe(200)
})

test('answers GET /health without calling other services', async () => {
  const [before, began] = [world.upstream.readinessChecks(), performance.now()]
  await Promise.all(Array.from({ length: 100 }, health))
  // The gateway checks four services every two seconds in the background.
  const rounds = 2 + (performance.now() - began) / 2_000
  expect(world.upstream.readinessChecks() - before).toBeLessThanOrEqual(4 * rounds)
})

test('serves calls and logins while RabbitMQ is down, and publishes their events once it is back', async () => {
  await broker.shut()
  const answers = await Promise.all(Array.from({ length: 50 }, call))
  expect(answers.every(answer => answer.status === 200)).toBe(true)
  const login = await send(world.url, '/api/auth/login', { body: operator })
  expect(login.status).toBe(200)
  await becomes({ status: 'degraded', services: { ...present, rabbitmq: 'away' } })
  expect((await send(world.url, '/health/ready')).status).toBe(200)
  await broker.open()
  for (const { requestId } of answers) await recordOf(world, requestId)
  await waitFor(() =>
    world.tap.messages.some(({ name, request_id }) => name === 'auth.login' && request_id === login.requestId),
  )
})

test('answers 503 and records the call while PostgreSQL is down, and recovers without a restart', async () => {
  await postgres.shut()
  const rejected = await waitFor(async () => {
    const answer = await call()
    return answer.status === 503 && answer
  })
  expect(rejected.body).toEqual({ error: 'unavailable' })
  expect((await recordOf(world, rejected.requestId)).data.status_code).toBe(503)
  expect((await send(world.url, '/api/auth/login', { body: operator })).status).toBe(503)
  await waitFor(async () => (await health()).status === 503)
  expect((await health()).body).toEqual({ error: 'unavailable: the database cannot be reached' })
  expect((await send(world.url, '/health/live')).status).toBe(200)
  expect((await send(world.url, '/health/ready')).status).toBe(503)
  expect((await send(world.url, '/api/transactions', { headers: token('vk_test_typo') })).status).toBe(401)
  await postgres.open()
  await waitFor(async () => (await call()).status === 200)
  await waitFor(async () => (await health()).status === 200)
})

test('starts while PostgreSQL and RabbitMQ are down, and serves as soon as they are up', async () => {
  await Promise.all([broker.shut(), postgres.shut()])
  const early = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/early` })
  const { status, requestId } = await send(early.url, '/health')
  expect(status).toBe(503)
  await Promise.all([broker.open(), postgres.open()])
  await waitFor(
    async () => (await send(early.url, '/api/transactions', { headers: token(world.azul.key) })).status === 200,
  )
  expect((await recordOf(world, requestId)).data.status_code).toBe(503)
  await early.stop()
})
