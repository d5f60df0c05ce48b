import { setTimeout as sleep } from 'node:timers/promises'
import { reveal, secret } from '@cobro/runtime'
import { type TcpProxy, tcpProxy, waitFor } from '@cobro/testing'
import { type GatewayWorld, gatewayUnderTest, recordOf, send } from './gateway-world.ts'
import { type UpstreamStub, upstreamStub } from './upstream-stub.ts'

let world: GatewayWorld
let audit: UpstreamStub
let auditGate: TcpProxy
let postgres: TcpProxy
beforeAll(async () => {
  audit = await upstreamStub()
  auditGate = await tcpProxy(audit.url)
  world = await gatewayUnderTest(async config => {
    postgres = await tcpProxy(reveal(config.DATABASE_URL))
    return { ...config, AUDIT_URL: auditGate.url, DATABASE_URL: secret(postgres.url) }
  })
  await becomes(present)
})
// A test that fails must not leave a server away for the next one.
afterEach(async () => {
  audit.reset()
  await Promise.all([auditGate.open(), postgres.open()])
})
afterAll(async () => {
  await world.stop()
  await auditGate.close()
  await postgres.close()
  await audit.close()
})

const health = () => send(world.url, '/health')
const present = {
  gateway: 'ok',
  postgres: 'ok',
  rabbitmq: 'ok',
  checkout: 'ok',
  transactions: 'ok',
  'webhooks-dispatcher': 'ok',
  'audit-log': 'ok',
}

/** Waits for a state. Services that answer too late on a busy machine can be away for a moment. */
const becomes = (services: Record<string, string>) =>
  waitFor(async () => {
    const { status, body } = await health()
    const overall = Object.values(services).includes('away') ? 'degraded' : 'ok'
    expect([status, body]).toEqual([200, { status: overall, services }])
    return true
  })
const auditAway = { ...present, 'audit-log': 'away' }

/**
 * Fails if GET /health waits for the check in progress: a hanging check takes most of each
 * second, so several calls would wait for it. A busy machine may delay a call, but not one of every 17.
 */
const answersAtOnce = () =>
  waitFor(async () => {
    const times = await Promise.all(Array.from({ length: 17 }, (_, n) => healthTimeAfter(n * 200)))
    expect(Math.max(...times)).toBeLessThan(500)
    return true
  })

async function healthTimeAfter(delayMs: number): Promise<number> {
  await sleep(delayMs)
  const began = performance.now()
  await health()
  return performance.now() - began
}

test('reports degraded while a service is unreachable, and ok once it is back', async () => {
  await auditGate.shut()
  await becomes(auditAway)
  expect((await send(world.url, '/health/ready')).status).toBe(200)
  await auditGate.open()
  await becomes(present)
})

test('reports a service that is not ready as away', async () => {
  audit.ready = response => void response.writeHead(503).end('{}')
  await becomes(auditAway)
  audit.reset()
  await becomes(present)
})

test('reports a service that hangs as away, without delaying GET /health', async () => {
  audit.ready = () => undefined
  await becomes(auditAway)
  await answersAtOnce()
  audit.reset()
  await becomes(present)
})

test('answers GET /health without a credential and with an invalid one', async () => {
  const answer = await waitFor(async () => {
    const found = await send(world.url, '/health', { headers: { authorization: 'Bearer nonsense' } })
    return found.body.status === 'ok' && found
  })
  expect((await recordOf(world, answer.requestId)).data).toMatchObject({ path: '/health', status_code: 200 })
})

test.each(['/health', '/health/live', '/health/ready'])('answers 405 to other methods than GET on %s', async path => {
  const answer = await send(world.url, path, { method: 'DELETE' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
})

test('answers GET /health with 503 at once while the database hangs, and stays alive', async () => {
  postgres.stall()
  await waitFor(async () => (await health()).status === 503)
  await answersAtOnce()
  expect((await send(world.url, '/health/live')).status).toBe(200)
  await postgres.open()
  await becomes(present)
})
