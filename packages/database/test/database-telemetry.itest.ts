import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort, programEnv, startOtlpReceiver, waitFor } from '@cobro/testing'
import { type BranchDatabase, branchDatabase, schema } from './branch-database.ts'

let world: BranchDatabase
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>
let metricsPort: number
let traced: ChildProcess
beforeAll(async () => {
  world = await branchDatabase()
  collector = await startOtlpReceiver()
  metricsPort = await freePort()
  const patient = new URL(world.database.url(schema))
  patient.searchParams.set('connect_timeout', '60')
  const args = ['--conditions=cobro-source', '--import', '@cobro/runtime/telemetry', 'test/fixtures/traced-database.ts']
  traced = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    env: {
      ...programEnv(),
      DATABASE_URL: patient.href,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(metricsPort),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
})
afterAll(async () => {
  traced.kill('SIGKILL')
  await collector.stop()
  await world.stop()
})

/** The samples of `db_client` metrics, without the name of their pool. */
async function scrape(): Promise<Record<string, number>> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  const samples = (await response.text()).matchAll(/^(db_client\w+)\{(.*?)\} (\S+)$/gm)
  return Object.fromEntries(
    Array.from(samples, ([, name, labels = '', value]) => {
      const { hostname, port, pathname } = new URL(world.database.url(schema))
      const pool = `db_client_connection_pool_name="${hostname}:${port}${pathname}"`
      expect(labels).toContain(pool)
      return [`${name} ${labels.replace(pool, '').replace(/,$|^,/, '')}`.trim(), Number(value)]
    }),
  )
}

test('a scrape counts the connections of all open pools of a process', async () => {
  await waitFor(async () => {
    expect(await scrape()).toEqual({
      'db_client_connection_count db_client_connection_state="used"': 1,
      'db_client_connection_count db_client_connection_state="idle"': 1,
      db_client_connection_pending_requests: 1,
      db_client_connection_max: 5,
    })
    return true
  })
})

test('a trace shows the statements and the commit of a transaction, but not its begin', async () => {
  await waitFor(() => collector.spans().some(span => span.name === 'work'))
  const names = collector.spans().map(span => span.attributes['db.operation.name'] ?? span.name)
  expect(names.sort()).toEqual(['COMMIT', 'SELECT', 'UPDATE', 'work'])
})
