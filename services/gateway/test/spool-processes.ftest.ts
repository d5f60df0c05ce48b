import { freePort, waitFor } from '@cobro/testing'
import { type GatewayProcesses, gatewayProcesses } from './gateway-processes.ts'
import { type Answered, eventOf, type GatewayWorld, gatewayUnderTest, send, token } from './gateway-world.ts'

let world: GatewayWorld
let processes: GatewayProcesses
beforeAll(async () => {
  world = await gatewayUnderTest()
  processes = gatewayProcesses(world)
})
afterAll(async () => {
  processes.killAll()
  await world.stop()
})

const change = (url: string) => send(url, '/checkout/v1/sessions', { headers: token(world.azul.key), body: {} })
const read = (url: string) => send(url, '/api/transactions', { headers: token(world.azul.key) })
const many = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, make))

/** Returns the spool's failure counters from a gateway's Prometheus port. */
async function failures(metricsPort: string): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const found = text.matchAll(/^cobro_spool_failures_total\{[^}]*outcome="(\w+)"[^}]*\} (\d+)/gm)
  return Object.fromEntries([...found].map(([, outcome, value]) => [outcome, Number(value)]))
}

test('on a full disk the gateway rejects changes, serves reads, exposes a metric, and records each call once', async () => {
  const metricsPort = String(await freePort())
  // Limits the file size to 50 KiB. The kernel then fails a write as on a full disk.
  const limited = { shell: 'ulimit -f 100' }
  const { child, exit, url } = await processes.serve({ OTEL_EXPORTER_PROMETHEUS_PORT: metricsPort }, limited)
  expect((await change(url)).status).toBe(200)
  expect(await failures(metricsPort)).toEqual({ rejected: 0, unrecorded: 0, lost: 0 })
  await waitFor(async () => (await change(url)).status === 503, { intervalMs: 0 })

  const before = await failures(metricsPort)
  world.upstream.reset()
  const rejected = await many(() => change(url))
  expect(new Set(rejected.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
    new Set(['503 unavailable: the call cannot be recorded at present']),
  )
  expect(world.upstream.received).toEqual([])
  const reads = await many(() => read(url))
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await failures(metricsPort)).toEqual({
    rejected: (before.rejected ?? 0) + rejected.length,
    unrecorded: (before.unrecorded ?? 0) + rejected.length + reads.length,
    lost: 0,
  })

  await eachOnRecord([...rejected, ...reads])
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})

async function eachOnRecord(answers: Answered[]): Promise<void> {
  const ids = answers.map(({ requestId }) => requestId)
  expect(new Set(ids).size).toBe(answers.length)
  for (const { requestId, status } of answers) {
    expect((await eventOf(world, requestId)).data.status_code).toBe(status)
  }
}

test('a second gateway on the same spool directory does not start, and the first continues', async () => {
  const first = await processes.serve()
  const PORT = String(await freePort())
  const second = processes.run([], processes.environment({ PORT, SPOOL_DIR: first.spool, LOG_LEVEL: 'error' }))
  expect(await second.exit).toBe(1)
  expect(await second.output).toContain('is in use by another process')
  await eachOnRecord([await change(first.url), await read(first.url)])

  first.child.kill('SIGKILL')
  await first.exit
  const third = await processes.serve({ SPOOL_DIR: first.spool })
  await eachOnRecord([await change(third.url)])
})
