import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, smallestOf, startOtlpReceiver, waitFor } from '@cobro/testing'
import { startTracedService, type TracedService } from './fixtures/start-traced-service.ts'

const forged = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const corr = (n: number) => `corr_${String(n).padStart(26, '0')}`

let collector: Awaited<ReturnType<typeof startOtlpReceiver>>
let stranger: { url: string; headers: IncomingHttpHeaders[]; stop: () => Promise<void> }
/** The services that most tests share, because starting one takes longer than most tests: */
let service: TracedService
/** one that does not trust the trace and correlation id of inbound requests, */
let edge: TracedService
/** and one that exports nothing. */
let silent: TracedService
/** The services that a test has started. */
let started: TracedService[] = []

beforeAll(async () => {
  collector = await startOtlpReceiver()
  stranger = await startStranger()
  ;[service, edge, silent] = await Promise.all([
    start('checkout'),
    start('gateway', { COBRO_TRUST_INBOUND_TRACE: 'false' }),
    start('checkout', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }),
  ])
})
beforeEach(() => {
  started = []
  stranger.headers.length = 0
})
afterEach(async () => {
  await Promise.all(started.map(one => one.stop()))
  collector.clear()
})
afterAll(async () => {
  const stopped = await Promise.all([service, edge, silent].map(one => one.stop()))
  expect(stopped.map(({ code }) => code)).toEqual([0, 0, 0])
  await collector.stop()
  await stranger.stop()
})

/** A third-party server that records the headers that it receives. */
async function startStranger() {
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers)
    response.end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await server[Symbol.asyncDispose]()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, headers, stop }
}

async function start(name: string, env: Record<string, string> = {}): Promise<TracedService> {
  const collecting = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  const one = await startTracedService(name, { ...collecting, ...env })
  started.push(one)
  return one
}

async function get(from: TracedService, path: string, query: Record<string, string>, headers = {}) {
  const response = await fetch(`${from.url}${path}?${new URLSearchParams(query)}`, { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as {
    traceId: string
    carrier: { traceparent: string; baggage: string }
    error: string
  }
}

/**
 * Returns all spans that have ended, once there are so many. Waits for them because a span ends
 * after its response has been received.
 */
async function exportedSpans(expected: number) {
  await waitFor(async () => {
    await Promise.all([service, edge, ...started].map(one => get(one, '/health/flush', {})))
    return collector.spans().length >= expected
  })
  return collector.spans()
}

test('a stop exports the spans that are not exported yet', async () => {
  for (let stops = 1; collector.spans().length === 0; stops++) {
    const patient = await start('checkout', { OTEL_BSP_SCHEDULE_DELAY: '600000' })
    await get(patient, `/echo/${corr(1)}`, {})
    expect((await patient.stop()).code).toBe(0)
    // One stop may be too slow on a busy machine.
    expect(stops).toBeLessThan(5)
  }
  expect(collector.spans()[0]?.name).toBe('GET /echo/:id')
})

test('every span of a call gets the correlation id, including those that ended before it was known', async () => {
  const { traceId } = await get(service, `/payments/${corr(1)}`, { to: stranger.url })
  const spans = await exportedSpans(3)
  expect(spans.map(span => span.name).sort()).toEqual(['GET', 'GET', 'GET /payments/:id'])
  expect(spans.map(span => span.attributes.correlation_id)).toEqual([corr(1), corr(1), corr(1)])
  expect(new Set(spans.map(span => span.traceId))).toEqual(new Set([traceId]))
  expect(spans.every(span => span.service === 'checkout')).toBe(true)
})

test('calls keep their traces while their bodies arrive in parts, also on one connection', async () => {
  const post = async (id: string) => {
    const body = new ReadableStream<string>({
      async start(controller) {
        for (const part of [id, ' and', ' more']) {
          controller.enqueue(part)
          await sleep(20)
        }
        controller.close()
      },
    }).pipeThrough(new TextEncoderStream())
    const query = new URLSearchParams({ to: stranger.url })
    const response = await fetch(`${service.url}/payments/${id}?${query}`, { method: 'POST', body, duplex: 'half' })
    const answer = (await response.json()) as { traceId: string; body: string }
    expect(answer.body).toBe(`${id} and more`)
    return [id, answer.traceId]
  }
  const first = await post(corr(30))
  const traces = new Map([first, ...(await Promise.all([31, 32, 33].map(n => post(corr(n)))))] as [string, string][])
  expect(new Set(traces.values()).size).toBe(4)
  const spans = await exportedSpans(8)
  for (const [id, traceId] of traces) {
    const own = spans.filter(span => span.traceId === traceId)
    expect(own.map(span => span.name).sort()).toEqual(['GET', 'POST /payments/:id'])
    expect(own.map(span => span.attributes.correlation_id)).toEqual([id, id])
  }
})

test('requests send traceparent from the start and the correlation id as baggage once it is known', async () => {
  const { traceId } = await get(service, `/payments/${corr(2)}`, { to: stranger.url })
  const [before, after] = stranger.headers
  expect(before?.traceparent).toContain(traceId)
  expect(before?.baggage).toBeUndefined()
  expect(after?.traceparent).toContain(traceId)
  expect(after?.baggage).toBe(`correlation_id=${corr(2)}`)
  await exportedSpans(3)
})

test('two services share one trace, and the first takes the correlation id from the response of the second', async () => {
  await get(edge, '/forward', { to: `${service.url}/echo/${corr(4)}` })
  const spans = await exportedSpans(3)
  const echo = spans.find(span => span.name === 'GET /echo/:id')
  const lifecycle = spans.filter(span => span.traceId === echo?.traceId)
  expect(lifecycle.map(span => [span.service, span.kind]).sort()).toEqual([
    ['checkout', 'server'],
    ['gateway', 'client'],
    ['gateway', 'server'],
  ])
  expect(echo?.parentSpanId).toBe(lifecycle.find(span => span.kind === 'client')?.spanId)
  const atTheEdge = lifecycle.filter(span => span.service === 'gateway')
  expect(atTheEdge.map(span => span.attributes.correlation_id)).toEqual([corr(4), corr(4)])
})

test('the correlation id of a trusted caller is adopted', async () => {
  const sent = { traceparent: forged, baggage: `other=1, correlation_id=${corr(5)};ttl=1` }
  await get(service, '/forward', { to: stranger.url }, sent)
  const spans = await exportedSpans(2)
  expect(spans.map(span => span.attributes.correlation_id)).toEqual([corr(5), corr(5)])
  expect(spans.every(span => forged.includes(span.traceId))).toBe(true)
  expect(stranger.headers[0]?.baggage).toBe(`correlation_id=${corr(5)}`)
})

test.each(['false', 'no'])(
  'a forged trace or correlation id is ignored if inbound requests are not trusted (%s)',
  async setting => {
    const untrusting = setting === 'false' ? edge : await start('gateway', { COBRO_TRUST_INBOUND_TRACE: setting })
    const sent = { traceparent: forged, tracestate: 'a=b', baggage: `correlation_id=${corr(6)}` }
    await get(untrusting, '/forward', { to: stranger.url }, sent)
    const spans = await exportedSpans(2)
    expect(spans).toHaveLength(2)
    expect(spans.filter(span => forged.includes(span.traceId))).toEqual([])
    expect(spans.filter(span => 'correlation_id' in span.attributes)).toEqual([])
    const server = spans.find(span => span.kind === 'server')
    expect(server?.parentSpanId).toBeUndefined()
    expect(server?.attributes['client.traceparent']).toBe(forged)
    expect(stranger.headers[0]?.traceparent).toContain(server?.traceId)
    expect(stranger.headers[0]).not.toHaveProperty('tracestate')
  },
)

test.each([
  ['/stranger', (url: string) => [`${url}a/path`, '/a/path']],
  ['/webhook', (url: string) => [new URL(url).origin, undefined]],
])('%s sends no trace or correlation id to a third party, but records the span', async (route, addressesAt) => {
  await get(service, route, { to: `${stranger.url}a/path`, id: corr(7) })
  expect(Object.keys(stranger.headers[0] ?? {})).toEqual(
    expect.not.arrayContaining(['traceparent', 'tracestate', 'baggage']),
  )
  const spans = await exportedSpans(2)
  const client = spans.find(span => span.kind === 'client')
  const { 'url.full': whole, 'url.path': path } = client?.attributes ?? {}
  expect([whole, path]).toEqual(addressesAt(stranger.url))
  expect(client?.attributes.correlation_id).toBe(corr(7))
  expect(client?.parentSpanId).toBe(spans.find(span => span.kind === 'server')?.spanId)
})

test('withTrace continues a stored trace with its correlation id', async () => {
  const { traceId, carrier } = await get(service, `/payments/${corr(8)}`, { to: stranger.url })
  await get(service, '/relay', { to: `${stranger.url}relayed`, ...carrier })
  const spans = await exportedSpans(5)
  const relayed = spans.find(span => span.attributes['url.path'] === '/relayed')
  expect(relayed).toMatchObject({ traceId, parentSpanId: carrier.traceparent.split('-')[2] })
  expect(relayed?.attributes.correlation_id).toBe(corr(8))
  expect(stranger.headers.at(-1)?.baggage).toBe(`correlation_id=${corr(8)}`)
})

test('inNewTrace starts a new trace for a retry, linked to its cause and with its correlation id', async () => {
  const { traceId, carrier } = await get(service, `/payments/${corr(9)}`, { to: stranger.url })
  await get(service, '/retry', { to: `${stranger.url}retried`, ...carrier })
  const spans = await exportedSpans(6)
  const retry = spans.find(span => span.name === 'webhook.retry')
  const sent = spans.find(span => span.attributes['url.path'] === '/retried')
  expect(retry?.links).toEqual([{ traceId, spanId: carrier.traceparent.split('-')[2] }])
  expect(retry?.traceId).not.toBe(traceId)
  expect(retry).toMatchObject({ parentSpanId: undefined, attributes: { attempt: 2, correlation_id: corr(9) } })
  expect(sent).toMatchObject({ traceId: retry?.traceId, attributes: { correlation_id: corr(9) } })
})

test('the span of failed work records the type of the error but not its text', async () => {
  expect(await get(service, '/failing-sweep', {})).toEqual({ error: 'TypeError' })
  const sweep = (await exportedSpans(2)).find(span => span.name === 'sweep')
  expect(sweep).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'TypeError' } })
  expect(JSON.stringify(sweep)).not.toContain('update')
})

test('spans are exported without URL queries and card numbers', async () => {
  await get(service, '/forward', { to: `${stranger.url}a/4242424242424242?secret=s3cret` })
  const exported = JSON.stringify(await exportedSpans(2))
  expect(exported).toContain('/a/[card]')
  expect(exported).not.toMatch(/s3cret|4242424242424242/)
})

test('concurrent calls never mix their ids', async () => {
  const calls = Array.from({ length: 200 }, (_, n) => get(service, `/payments/${corr(n)}`, { to: stranger.url }))
  const traceIds = (await Promise.all(calls)).map(answer => answer.traceId)
  const spans = await exportedSpans(600)
  expect(spans).toHaveLength(600)
  const mixed = spans.filter(span => span.attributes.correlation_id !== corr(traceIds.indexOf(span.traceId)))
  expect(mixed).toEqual([])
})

test('log lines contain the trace id, and health probes are not recorded', async () => {
  const { traceId } = await get(service, `/echo/${corr(1)}`, {})
  await fetch(`${service.url}/health/live`)
  const traceIds = () => service.logs.filter(({ msg }) => msg === 'received').map(({ trace_id }) => trace_id)
  await waitFor(() => traceIds().includes(traceId) && traceIds().at(-1) !== traceId)
  expect(traceIds().slice(traceIds().indexOf(traceId))).toEqual([traceId, undefined])
  // A span of the probe would have ended before the one of this call.
  await get(service, `/echo/${corr(2)}`, {})
  expect((await exportedSpans(2)).map(({ name }) => name)).toEqual(['GET /echo/:id', 'GET /echo/:id'])
})

test('trace ids are created and propagated even if nothing is exported', async () => {
  const { traceId } = await get(silent, `/payments/${corr(1)}`, { to: stranger.url })
  expect(traceId).toMatch(/^[\da-f]{32}$/)
  expect(stranger.headers[1]).toMatchObject({ baggage: `correlation_id=${corr(1)}` })
  await get(silent, '/health/flush', {})
  expect(await exportedSpans(0)).toEqual([])
  expect(silent.errors()).toBe('')
})

test('the start fails if the protocol of the collector is not supported', async () => {
  await expect(start('checkout', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).rejects.toThrow(
    'OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf or http/json',
  )
})

test('unsampled calls are not exported, but their ids are propagated', async () => {
  const unsampled = await start('checkout', { OTEL_TRACES_SAMPLER: 'always_off' })
  const { traceId } = await get(unsampled, `/payments/${corr(1)}`, { to: stranger.url })
  expect(stranger.headers[1]).toMatchObject({ baggage: `correlation_id=${corr(1)}` })
  expect(stranger.headers[1]?.traceparent).toContain(`${traceId}-`)
  expect(await exportedSpans(0)).toEqual([])
})

test('a sampling ratio keeps about that share of the traces, each complete', async () => {
  const sampling = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
  const [front, back] = await Promise.all([
    start('gateway', sampling),
    // Calls from the front service follow its decision, whatever the ratio is here.
    start('checkout', { ...sampling, OTEL_TRACES_SAMPLER_ARG: '0' }),
  ])
  const call = (n: number) => get(front, `/payments/${corr(n)}`, { to: `${back.url}/echo/${corr(n)}` })
  const calls = await Promise.all(Array.from({ length: 200 }, (_, n) => call(n)))
  const sampled = calls.filter(({ carrier }) => carrier.traceparent.endsWith('-01'))
  const traces = Map.groupBy(await exportedSpans(5 * sampled.length), span => span.traceId)
  // Expects twenty; a correct sampler misses the bounds once in a billion runs.
  expect(traces.size).toBeGreaterThan(0)
  expect(traces.size).toBeLessThan(60)
  for (const spans of traces.values()) {
    expect(new Set(spans.map(span => span.service))).toEqual(new Set(['gateway', 'checkout']))
  }
})

test('a collector that refuses connections, or accepts them and never answers, delays no call and no stop', async () => {
  const contentTypes = new Set<string | undefined>()
  const hanging = createServer(({ headers }) => void contentTypes.add(headers['content-type']))
  await new Promise<void>(resolve => hanging.listen(0, '127.0.0.1', resolve))
  const startWith = (port: number) =>
    start('checkout', {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100000',
      OTEL_BSP_EXPORT_TIMEOUT: '100000',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    })
  const ports = [await freePort(), (hanging.address() as AddressInfo).port]
  try {
    const exporting = await Promise.all(ports.map(startWith))
    for (const one of exporting) expect(await smallestOf(500, () => medianDelay(one))).toBeLessThan(500)
    const stops = await Promise.all(exporting.map(one => one.stop()))
    expect(stops.map(({ code }) => code)).toEqual([0, 0])
    // The final export is cut off after 3 s, although one request may take 100 s.
    for (const { ms } of stops) expect(ms).toBeLessThan(30_000)
    expect(exporting.map(one => one.errors())).toEqual(['', ''])
    // The default protocol.
    expect([...contentTypes]).toEqual(['application/x-protobuf'])
  } finally {
    hanging.closeAllConnections()
    hanging.close()
  }
})

test('spans that the collector rejects are counted and logged once', async () => {
  const port = await freePort()
  const closedPort = await freePort()
  const rejected = await start('checkout', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${closedPort}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  })
  const lost = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^cobro_spans_lost_total (\d+)$/m.exec(metrics)?.[1])
  }
  expect(await lost()).toBe(0)
  await get(rejected, `/echo/${corr(1)}`, {})
  await waitFor(async () => (await lost()) === 1)
  await get(rejected, `/echo/${corr(2)}`, {})
  await waitFor(async () => (await lost()) === 2)
  const said = rejected.logs.filter(({ msg }) => msg === 'spans were lost')
  expect(said).toEqual([expect.objectContaining({ level: 'warn', service: 'checkout', spans: 1 })])
  expect(Object.keys(said[0] ?? {})).toContain('err')
  expect(rejected.errors()).toBe('')
})

/** Returns by how much calls of a service take longer than those of one that exports nothing: both depend on the load. */
async function medianDelay(exporting: TracedService): Promise<number> {
  const took: [number, number][] = []
  for (let n = 0; n < 20; n++) took.push([await durationOf(exporting, n), await durationOf(silent, n)])
  return median(took.map(([ms]) => ms)) - median(took.map(([, ms]) => ms))
}

async function durationOf(service: TracedService, n: number): Promise<number> {
  const begin = performance.now()
  await get(service, `/echo/${corr(n)}`, {})
  return performance.now() - begin
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length / 2] ?? 0
