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
  await becomes('ok')
})
afterAll(async () => {
  await world.stop()
  await auditGate.close()
  await postgres.close()
  await audit.close()
})

const health = () => send(world.url, '/health')
const becomes = (status: string) =>
  waitFor(async () => {
    const answer = await health()
    return answer.body.status === status && answer
  })

/** Returns how long each of some consecutive calls took. */
async function timesOf(count: number): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    await health()
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)
}

const median = (times: number[]) => times[Math.floor(times.length / 2)] ?? Number.NaN

test('reports degraded while a service is unreachable, and ok once it is back', async () => {
  await auditGate.shut()
  const degraded = await becomes('degraded')
  expect(degraded.status).toBe(200)
  expect(degraded.body.services).toEqual({
    gateway: 'ok',
    postgres: 'ok',
    rabbitmq: 'ok',
    checkout: 'ok',
    transactions: 'ok',
    'webhooks-dispatcher': 'ok',
    'audit-log': 'away',
  })
  expect((await send(world.url, '/health/ready')).status).toBe(200)
  await auditGate.open()
  await becomes('ok')
})

test('reports a service that is not ready as away', async () => {
  audit.ready = response => void response.writeHead(503).end('{}')
  expect((await becomes('degraded')).body.services['audit-log']).toBe('away')
  audit.reset()
  await becomes('ok')
})

test('reports a service that hangs as away, without delaying GET /health', async () => {
  audit.ready = () => undefined
  expect((await becomes('degraded')).body.services['audit-log']).toBe('away')
  expect(median(await timesOf(21))).toBeLessThan(50)
  audit.reset()
  await becomes('ok')
})

test('answers GET /health without a credential and with an invalid one', async () => {
  const answer = await send(world.url, '/health', { headers: { authorization: 'Bearer nonsense' } })
  expect([answer.status, answer.body.status]).toEqual([200, 'ok'])
  expect((await recordOf(world, answer.requestId)).data).toMatchObject({ path: '/health', status_code: 200 })
})

test.each(['/health', '/health/live', '/health/ready'])('answers 405 to other methods than GET on %s', async path => {
  const answer = await send(world.url, path, { method: 'DELETE' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
})

test('answers GET /health with 503 at once while the database hangs, and stays alive', async () => {
  postgres.stall()
  await waitFor(async () => (await health()).status === 503)
  expect(median(await timesOf(21))).toBeLessThan(50)
  expect((await send(world.url, '/health/live')).status).toBe(200)
  await postgres.open()
  await becomes('ok')
})
