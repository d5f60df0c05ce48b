import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { reveal } from '@cobro/runtime'
import { freePort, waitFor } from '@cobro/testing'
import { startProcess } from './dispatcher-process.ts'
import { dispatcherWorld, type World } from './dispatcher-service.ts'
import { startPgBouncer } from './pgbouncer.ts'

const startupParameters = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

let world: World
const releases: (() => unknown)[] = []
beforeAll(async () => {
  world = await dispatcherWorld()
})
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release()
})
afterAll(() => world.stop())

function start(databaseUrl: string, port = 0): ChildProcess {
  const process = startProcess(world.config, {
    stdout: 'pipe',
    env: { DATABASE_URL: databaseUrl, PORT: String(port), LOG_LEVEL: 'info' },
  })
  releases.push(() => process.kill('SIGKILL'))
  return process
}

async function pooler(options: Parameters<typeof startPgBouncer>[1]): Promise<string> {
  const { url, stop } = await startPgBouncer(reveal(world.config.DATABASE_URL), options)
  releases.push(stop)
  return url
}

async function endOf(process: ChildProcess) {
  const log = text(process.stdout!)
  const [code] = await once(process, 'exit')
  return { code, log: await log }
}

test('a service behind transaction pooling ends with a message that says what to change', async () => {
  const ended = await endOf(start(await pooler({ poolMode: 'transaction', ignoredParameters: startupParameters })))
  expect(ended.code).toBe(1)
  expect(ended.log).toContain('start failed')
  expect(ended.log).toContain('use session pooling (pool_mode = session in PgBouncer)')
})

test('a service behind a pooler that rejects its time limits ends with the name of the setting', async () => {
  const ended = await endOf(start(await pooler({ poolMode: 'session' })))
  expect(ended.code).toBe(1)
  expect(ended.log).toMatch(/unsupported startup parameter: \w+_timeout/)
})

test('a service behind session pooling becomes ready', async () => {
  const port = await freePort()
  start(await pooler({ poolMode: 'session', ignoredParameters: startupParameters }), port)
  await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok === true)
})

test('a service that started without its database ends once a pooler lets its connections share sessions', async () => {
  const [port, poolerPort] = [await freePort(), await freePort()]
  const url = new URL(reveal(world.config.DATABASE_URL))
  url.host = `127.0.0.1:${poolerPort}`
  const process = start(url.href, port)
  await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined))?.ok === true)
  const ending = endOf(process)
  await pooler({ poolMode: 'transaction', ignoredParameters: startupParameters, port: poolerPort })
  const ended = await ending
  expect(ended.code).toBe(1)
  expect(ended.log).toContain('use session pooling (pool_mode = session in PgBouncer)')
})
