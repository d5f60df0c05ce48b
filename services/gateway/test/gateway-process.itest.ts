import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { internalHeaders } from '@cobro/http'
import { freePort, schemaDrift, startOtlpReceiver, waitFor } from '@cobro/testing'
import type { Config } from '../src/config.ts'
import { entities, schema } from '../src/start-gateway.ts'
import { clients, type GatewayWorld, gatewayUnderTest, operator, recordOf, send, token } from './gateway-world.ts'

let world: GatewayWorld
const running = new Set<ChildProcess>()
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await world.stop()
})
beforeEach(() => world.upstream.reset())

const keyRing = (keys: Config['API_KEY_PEPPERS']) =>
  keys.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join()

const settingText = (value: object | string | number) =>
  typeof value === 'object' && !Array.isArray(value) ? Object.values(value).join('/') : String(value)

function environment(change: Record<string, string> = {}): Record<string, string> {
  const { TRUSTED_PROXIES: _none, API_KEY_PEPPERS, ENCRYPTION_KEYS, INTERNAL_SIGNING_KEY, ...plain } = world.config
  return {
    PATH: process.env.PATH ?? '',
    ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, settingText(value)])),
    API_KEY_PEPPERS: keyRing(API_KEY_PEPPERS),
    ENCRYPTION_KEYS: keyRing(ENCRYPTION_KEYS),
    INTERNAL_SIGNING_KEY: JSON.stringify(INTERNAL_SIGNING_KEY),
    MIGRATION_DATABASE_URL: world.database.migratorUrl,
    COBRO_TRUST_INBOUND_TRACE: 'false',
    ...change,
  }
}

/** Runs the service as it is run in earnest. */
function run(command: string[], env: Record<string, string>, input = '') {
  const flags = ['--conditions=cobro-source', '--import', '@cobro/runtime/telemetry']
  const child = spawn(process.execPath, [...flags, 'src/main.ts', ...command], {
    cwd: join(import.meta.dirname, '..'),
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.stdin.end(input)
  return { child, output: text(child.stdout), exit: once(child, 'exit').then(([code]) => code as number | null) }
}

async function serve(change: Record<string, string> = {}) {
  const port = await freePort()
  const spool = join(world.config.SPOOL_DIR, String(port))
  const process = run([], environment({ PORT: String(port), SPOOL_DIR: spool, ...change }))
  const url = `http://127.0.0.1:${port}`
  await waitFor(async () => (await send(url, '/health/ready')).status === 200, { timeoutMs: 20_000 })
  return { ...process, url, spool }
}

test('migrations may be run again, and agree with the entities', async () => {
  expect(await run(['migrate'], environment()).exit).toBe(0)
  const db = openDatabase({ url: world.config.DATABASE_URL, schema, entities })
  expect(await schemaDrift(db)).toEqual([])
  await db.close()
})

test('the seed makes what is missing, tells a key once and leaves what is there', async () => {
  const third = { email: 'Verde@cobro.test', password: 'the green coffee cup' }
  const merchants = [
    { name: 'Café Azul', legal_name: 'Café Azul SA de CV', client: clients[0] },
    { name: 'Café Verde', legal_name: 'Café Verde SA de CV', client: third },
  ]
  const input = JSON.stringify({ operator: { ...operator, password: 'another password' }, merchants })
  const first = run(['seed'], environment(), input)
  expect(await first.exit).toBe(0)
  const [azul, verde] = JSON.parse(await first.output).merchants
  expect(azul).toEqual({ merchant_id: world.azul.merchant_id, api_key: null })
  expect(verde).toEqual({ merchant_id: expect.stringMatching(/^mrc_/), api_key: expect.stringMatching(/^vk_test_/) })
  expect((await send(world.url, '/api/transactions', { headers: token(verde.api_key) })).status).toBe(200)
  expect((await world.login(third)).user.merchant_id).toBe(verde.merchant_id)
  expect((await world.login(operator)).user.role).toBe('operator')

  const again = run(['seed'], environment(), input)
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

test('a seed that makes no sense ends with 1', async () => {
  const { exit } = run(['seed'], environment(), '{"operator":{}}')
  expect(await exit).toBe(1)
})

test('a missing setting is named, all of them at once', async () => {
  const { SPOOL_DIR: _spool, PUBLIC_URL: _url, ...rest } = environment()
  const { exit, output } = run([], { ...rest, LOG_LEVEL: 'info' })
  expect(await exit).toBe(1)
  expect(await output).toMatch(/PUBLIC_URL.*SPOOL_DIR/)
})

test('SIGTERM ends it with 0, its spool shipped empty', async () => {
  const { child, exit, url } = await serve()
  const { requestId } = await send(url, '/api/transactions', { headers: token(world.azul.key) })
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
  expect((await recordOf(world, requestId)).data.status_code).toBe(200)
})

test('kill -9 in the middle of a call: it is on record as cut off, once', async () => {
  const told = Promise.withResolvers<string>()
  world.upstream.answer = request => told.resolve(String(request.headers[internalHeaders.requestId]))
  const { child, exit, url, spool } = await serve()
  const path = '/checkout/v1/sessions'
  const call = send(url, path, { headers: token(world.azul.key), body: {} }).catch(() => 'cut off')
  const requestId = await told.promise
  child.kill('SIGKILL')
  await exit
  expect(await call).toBe('cut off')
  const again = await serve({ SPOOL_DIR: spool })
  expect((await recordOf(world, requestId)).data).toMatchObject({
    method: 'POST',
    path,
    status_code: 500,
    metadata: { outcome: 'gateway_crashed' },
  })
  again.child.kill('SIGTERM')
  expect(await again.exit).toBe(0)
})

test('a call is one trace of its own, under the correlation id that it turned out to belong to', async () => {
  const collector = await startOtlpReceiver()
  const correlation = newId('corr')
  world.upstream.answer = (_request, response) => {
    response.setHeader(internalHeaders.correlationId, correlation)
    response.end('{}')
  }
  const { child, exit, url } = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
  const forged = '0af7651916cd43dd8448eb211c80319c'
  const headers = { ...token(world.azul.key), traceparent: `00-${forged}-b7ad6b7169203331-01` }
  const { requestId } = await send(url, `/checkout/v1/sessions/${newId('cs')}?card=1`, { headers })
  const record = await recordOf(world, requestId)
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
  const spans = collector.spans().filter(({ traceId }) => traceId === record.data.trace_id)
  expect(record.data.trace_id).not.toBe(forged)
  expect(spans.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['server', 'client', 'producer']))
  for (const span of spans) expect(span.attributes.correlation_id).toBe(correlation)
  expect(spans.find(({ kind }) => kind === 'server')?.attributes).toMatchObject({
    'http.route': '/checkout/v1/sessions/:id',
    'client.traceparent': headers.traceparent,
  })
  expect(world.upstream.received.at(-1)?.headers.traceparent).toContain(record.data.trace_id)
  await collector.stop()
})
