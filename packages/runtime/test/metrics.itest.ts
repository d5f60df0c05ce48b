import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@cobro/testing'
import { startTracedService, type TracedService } from './fixtures/start-traced-service.ts'

let service: TracedService
let port: number
const closing: (() => unknown)[] = []

beforeAll(async () => {
  port = await freePort()
  service = await startTracedService('checkout', { OTEL_EXPORTER_PROMETHEUS_PORT: String(port) })
})
afterAll(async () => {
  await service.stop()
  for (const close of closing) await close()
})

const get = (path: string) => fetch(`${service.url}${path}`)

/** The samples of a scrape, by name and labels. */
async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(response.status).toBe(200)
  const lines = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

test('serves counters and gauges in the Prometheus text format', async () => {
  for (const outcome of ['done', 'done', 'failed']) await get(`/count/${outcome}`)
  const samples = await scrape()
  expect(samples.get('cobro_test_calls_total{outcome="done"}')).toBe(2)
  expect(samples.get('cobro_test_calls_total{outcome="failed"}')).toBe(1)
  expect(samples.get('cobro_test_age{kind="old"}')).toBe(1.5)
})

test('a gauge that could never be read is absent and `cobro_metric_readable` is 0, while other metrics are served', async () => {
  const samples = await scrape()
  const names = [...samples.keys()]
  expect(names.filter(name => name.startsWith('cobro_test_absent'))).toEqual([])
  expect(names.some(name => name.startsWith('nodejs_eventloop_utilization'))).toBe(true)
  expect([...samples].filter(([name]) => name.startsWith('cobro_metric_readable')).sort()).toEqual([
    ['cobro_metric_readable{metric="cobro_test_absent",queue="a"}', 0],
    ['cobro_metric_readable{metric="cobro_test_absent",queue="b"}', 1],
    ['cobro_metric_readable{metric="cobro_test_age"}', 1],
    ['cobro_metric_readable{metric="cobro_test_bowls"}', 1],
    ['cobro_metric_readable{metric="cobro_test_total"}', 1],
  ])
})

test('HTTP calls are measured by method, route and status; scrapes are not measured', async () => {
  await get('/count/done')
  const calls = [...(await scrape()).keys()].filter(name => name.startsWith('http_server_request_duration_count'))
  expect(calls).toHaveLength(1)
  for (const label of ['http_request_method="GET"', 'http_route="/count/:outcome"', 'http_response_status_code="200"'])
    expect(calls[0]).toContain(label)
})

test('a gauge series that can no longer be read, or that a reading leaves out, becomes NaN', async () => {
  const bowls = async (list: string) => {
    await get(`/bowls/${list}`)
    const samples = await scrape()
    return ['left', 'right'].map(bowl => samples.get(`cobro_test_bowls{bowl="${bowl}"}`))
  }
  expect(await bowls('left,right')).toEqual([7, 7])
  expect(await bowls('left')).toEqual([7, Number.NaN])
  expect(await bowls('away')).toEqual([Number.NaN, Number.NaN])
  expect((await scrape()).get('cobro_metric_readable{metric="cobro_test_bowls"}')).toBe(0)
  expect(await bowls('left,right')).toEqual([7, 7])
})

test('outgoing HTTP requests are not measured by server address: there are many merchants', async () => {
  const receivers = await Promise.all([receiver(), receiver()])
  for (const to of receivers)
    await get(`/webhook?${new URLSearchParams({ to, id: 'corr_01jd0000000000000000000000' })}`)
  const made = [...(await scrape())].filter(([name]) => name.startsWith('http_client_request_duration_count'))
  expect(made).toEqual([
    ['http_client_request_duration_count{http_response_status_code="200",http_request_method="GET"}', 2],
  ])
})

test('the start fails if the metrics port is in use', async () => {
  const starting = startTracedService('checkout', { OTEL_EXPORTER_PROMETHEUS_PORT: String(port) })
  const ended = await starting.then(
    second => second.stop(),
    error => ({ code: String(error) }),
  )
  expect(ended.code).not.toBe(0)
})

async function receiver(): Promise<string> {
  const server = createServer((_request, response) => response.end('{}'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
