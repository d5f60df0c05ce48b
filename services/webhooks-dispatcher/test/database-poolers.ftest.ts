import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { isDatabaseUnavailable, isProtocolViolation, openDatabase } from '@cobro/database'
import { reveal } from '@cobro/runtime'
import { freePort, tcpProxy, waitFor } from '@cobro/testing'
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

async function pooler(
  options: Parameters<typeof startPgBouncer>[1],
  databaseUrl = reveal(world.config.DATABASE_URL),
): Promise<string> {
  const { url, stop } = await startPgBouncer(databaseUrl, options)
  releases.push(stop)
  return url
}

const healthOf = async (port: number, check: 'live' | 'ready') =>
  (await fetch(`http://127.0.0.1:${port}/health/${check}`).catch(() => undefined))?.status

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
  await waitFor(async () => (await healthOf(port, 'ready')) === 200)
})

test('a service behind session pooling waits while the pooler cannot reach the database', async () => {
  const database = await tcpProxy(reveal(world.config.DATABASE_URL))
  releases.push(database.close)
  const url = await pooler({ poolMode: 'session', ignoredParameters: startupParameters }, database.url)
  const db = openDatabase({ url, schema: 'webhooks', entities: [] })
  releases.push(db.close)
  await db.ping()
  await database.shut()
  const errors: unknown[] = []
  const texts = () => errors.map(error => (error as Error).message)
  await waitFor(async () => {
    await db.ping().catch((error: unknown) => errors.push(error))
    return ['conn crashed', 'login has been failing'].every(text => texts().some(message => message.includes(text)))
  })
  expect(errors.filter(error => !isDatabaseUnavailable(error) || isProtocolViolation(error))).toEqual([])
  const port = await freePort()
  const process = start(url, port)
  await waitFor(async () => (await healthOf(port, 'ready')) === 503)
  // Meanwhile it asks the database more than once.
  await setTimeout(3_000)
  expect([process.exitCode, await healthOf(port, 'live')]).toEqual([null, 200])
  await database.open()
  await waitFor(async () => (await healthOf(port, 'ready')) === 200)
})

test('a service that started without its database ends once a pooler lets its connections share sessions', async () => {
  const [port, poolerPort] = [await freePort(), await freePort()]
  const url = new URL(reveal(world.config.DATABASE_URL))
  url.host = `127.0.0.1:${poolerPort}`
  const process = start(url.href, port)
  await waitFor(async () => (await healthOf(port, 'live')) === 200)
  const ending = endOf(process)
  await pooler({ poolMode: 'transaction', ignoredParameters: startupParameters, port: poolerPort })
  const ended = await ending
  expect(ended.code).toBe(1)
  expect(ended.log).toContain('use session pooling (pool_mode = session in PgBouncer)')
})
