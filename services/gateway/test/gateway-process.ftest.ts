import { newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { internalHeaders } from '@cobro/http'
import { reveal } from '@cobro/runtime'
import { schemaDrift, startOtlpReceiver, waitFor } from '@cobro/testing'
import { entities, schema } from '../src/gateway-schema.ts'
import { type GatewayProcesses, gatewayProcesses } from './gateway-processes.ts'
import { clients, eventOf, type GatewayWorld, gatewayUnderTest, operator, send, token } from './gateway-world.ts'

let world: GatewayWorld
let environment: GatewayProcesses['environment']
let run: GatewayProcesses['run']
let serve: GatewayProcesses['serve']
let killAll: GatewayProcesses['killAll']
beforeAll(async () => {
  world = await gatewayUnderTest()
  ;({ environment, run, serve, killAll } = gatewayProcesses(world))
})
afterAll(async () => {
  killAll()
  await world.stop()
})
beforeEach(() => world.upstream.reset())

test("the gateway's migrations can run again and match the entities", async () => {
  const AMQP_URL = await world.brokerLogin('migrate')
  expect(await run(['migrate'], environment({ AMQP_URL })).exit).toBe(0)
  const db = openDatabase({ url: reveal(world.config.DATABASE_URL), schema, entities })
  expect(await schemaDrift(db)).toEqual([])
  await db.close()
})

test('the seed command creates what is missing, returns an API key once and keeps existing data', async () => {
  const third = { email: 'Verde@cobro.test', password: 'the green coffee cup' }
  const merchants = [
    { name: 'Café Azul', legal_name: 'Café Azul SA de CV', client: clients[0] },
    { name: 'Café Verde', legal_name: 'Café Verde SA de CV', client: third },
  ]
  const input = JSON.stringify({ operator: { ...operator, password: 'another password' }, merchants })
  const first = run(['seed'], environment(), { input })
  expect(await first.exit).toBe(0)
  const [azul, verde] = JSON.parse(await first.output).merchants
  expect(azul).toEqual({ merchant_id: world.azul.merchant_id, api_key: null })
  expect(verde).toEqual({ merchant_id: expect.stringMatching(/^mrc_/), api_key: expect.stringMatching(/^vk_test_/) })
  expect((await send(world.url, '/api/transactions', { headers: token(verde.api_key) })).status).toBe(200)
  expect((await world.login(third)).user.merchant_id).toBe(verde.merchant_id)
  expect((await world.login(operator)).user.role).toBe('operator')

  const again = run(['seed'], environment(), { input })
  expect(await again.exit).toBe(0)
  expect(JSON.parse(await again.output).merchants).toEqual([azul, { ...verde, api_key: null }])
  const created = await waitFor(() => {
    const found = world.tap.messages.filter(({ merchant_id }) => merchant_id === verde.merchant_id)
    return found.some(({ name }) => name === 'merchant.created') && found
  })
  expect(created.find(({ name }) => name === 'merchant.created')?.data).toEqual({
    id: verde.merchant_id,
    name: 'Café Verde',
    status: 'active',
    version: 1,
  })
})

test('the seed command exits with 1 for invalid input', async () => {
  const { exit } = run(['seed'], environment(), { input: '{"operator":{}}' })
  expect(await exit).toBe(1)
})

test('a start without settings names all missing ones at once', async () => {
  const { SPOOL_DIR: _spool, PUBLIC_URL: _url, ...rest } = environment()
  const { exit, output } = run([], { ...rest, LOG_LEVEL: 'info' })
  expect(await exit).toBe(1)
  expect(await output).toMatch(/PUBLIC_URL.*SPOOL_DIR/)
})

test('the gateway exits with 0 on SIGTERM after publishing its spool', async () => {
  const { child, exit, url } = await serve()
  const call = () => send(url, '/api/transactions', { headers: token(world.azul.key) })
  // Once the first event has been published, the gateway is connected to the broker.
  await eventOf(world, (await call()).requestId)
  const { requestId } = await call()
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
  expect((await eventOf(world, requestId)).data.status_code).toBe(200)
})

test('a call during kill -9 is recorded once as gateway_crashed', async () => {
  const receivedId = Promise.withResolvers<string>()
  world.upstream.answer = request => receivedId.resolve(String(request.headers[internalHeaders.requestId]))
  const { child, exit, url, spool } = await serve()
  const path = '/checkout/v1/sessions'
  const call = send(url, path, { headers: token(world.azul.key), body: {} }).catch(() => 'cut off')
  const requestId = await receivedId.promise
  child.kill('SIGKILL')
  await exit
  expect(await call).toBe('cut off')
  const again = await serve({ SPOOL_DIR: spool })
  expect((await eventOf(world, requestId)).data).toMatchObject({
    method: 'POST',
    path,
    status_code: 500,
    metadata: { outcome: 'gateway_crashed' },
  })
  again.child.kill('SIGTERM')
  expect(await again.exit).toBe(0)
})

test('all spans of a call are in one trace and have the correlation id that the service reports', async () => {
  const collector = await startOtlpReceiver()
  const correlation = newId('corr')
  world.upstream.answer = (_request, response) => {
    response.setHeader(internalHeaders.correlationId, correlation)
    response.end('{}')
  }
  const { child, exit, url } = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const forged = '0af7651916cd43dd8448eb211c80319c'
  const headers = { ...token(world.azul.key), traceparent: `00-${forged}-b7ad6b7169203331-01` }
  const { requestId } = await send(url, `/checkout/v1/sessions/${newId('cs')}?card=1`, { headers })
  const record = await eventOf(world, requestId)
  const ofCall = () => collector.spans().filter(({ traceId }) => traceId === record.data.trace_id)
  const expected = ['server', 'client'] as const
  // A stopping process exports its last spans for three seconds at most.
  await waitFor(() => expected.every(one => ofCall().some(({ kind }) => kind === one)))
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
  const spans = ofCall()
  expect(record.data.trace_id).not.toBe(forged)
  for (const span of spans) expect(span.attributes.correlation_id).toBe(correlation)
  // No deployment names the service: its package does.
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['gateway']))
  expect(spans.find(({ kind }) => kind === 'server')?.attributes).toMatchObject({
    'http.route': '/checkout/v1/sessions/:id',
    'client.traceparent': headers.traceparent,
  })
  expect(world.upstream.received.at(-1)?.headers.traceparent).toContain(record.data.trace_id)
  await collector.stop()
})
