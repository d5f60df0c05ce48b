import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import { reveal } from '@cobro/runtime'
import { freePort, type TlsProxy, tlsProxy, waitFor } from '@cobro/testing'
import { type TestAuthority, testAuthority } from '@cobro/testing/test-certificates'
import { Agent, request } from 'undici'
import { startProcess } from './dispatcher-process.ts'
import { dispatcherWorld, type World } from './dispatcher-service.ts'

let authority: TestAuthority
let world: World
let dir: string
let port: number
let proxies: { postgres: TlsProxy; rabbitmq: TlsProxy }
let agent: Agent
const processes: ChildProcess[] = []
beforeAll(async () => {
  authority = await testAuthority()
  world = await dispatcherWorld()
  dir = await mkdtemp(join(tmpdir(), 'cobro-production-'))
  port = await freePort()
  const certificate = await authority.issue('127.0.0.1')
  proxies = {
    postgres: await tlsProxy(reveal(world.config.DATABASE_URL), certificate),
    rabbitmq: await tlsProxy(reveal(world.config.AMQP_URL), certificate),
  }
  await writeFile(join(dir, 'ca.pem'), authority.cert)
  agent = new Agent({ connect: { ca: authority.cert } })
})
afterAll(async () => {
  for (const process of processes) process.kill('SIGKILL')
  await agent.close()
  await proxies.postgres.close()
  await proxies.rabbitmq.close()
  await world.stop()
  await rm(dir, { recursive: true })
})

/** Issues a certificate for the service, and stores it where the service reads it. */
async function renewCertificate(): Promise<string> {
  const { cert, key } = await authority.issue('localhost')
  await writeFile(join(dir, 'tls.crt'), cert)
  await writeFile(join(dir, 'tls.key'), key)
  return cert.trim()
}

function startInProduction(env: Record<string, string> = {}): ChildProcess {
  const url = new URL(proxies.postgres.url)
  url.searchParams.set('sslmode', 'verify-full')
  const process = startProcess(world.config, {
    stdout: 'pipe',
    env: {
      ...{ PROTOCOL_TIMINGS: '', COBRO_ENV: 'production', PORT: String(port), WEBHOOKS_ALLOW_PRIVATE: 'false' },
      ...{ TLS_CERT_FILE: join(dir, 'tls.crt'), TLS_KEY_FILE: join(dir, 'tls.key') },
      ...{ DATABASE_URL: url.href, AMQP_URL: proxies.rabbitmq.url.href },
      NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem'),
      ...env,
    },
  })
  processes.push(process)
  return process
}

async function readiness(): Promise<number> {
  const { statusCode, body } = await request(`https://localhost:${port}/health/ready`, { dispatcher: agent })
  await body.dump()
  return statusCode
}

async function servedCertificate(): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const options = { host: '127.0.0.1', port, servername: 'localhost', ca: authority.cert }
  const socket = connect(options, () => resolve(socket)).once('error', reject)
  const certificate = (await promise).getPeerX509Certificate()?.toString().trim()
  socket.destroy()
  return certificate
}

test('in production the service uses TLS everywhere, and follows the rotation of all certificates', async () => {
  const first = await renewCertificate()
  startInProduction()
  await waitFor(async () => (await readiness()) === 200)
  expect(await servedCertificate()).toBe(first)

  const second = await renewCertificate()
  await waitFor(async () => (await servedCertificate()) === second)

  proxies.postgres.use(await (await testAuthority('Foreign')).issue('127.0.0.1'))
  proxies.postgres.cut()
  await waitFor(async () => (await readiness()) === 503)
  for (const proxy of Object.values(proxies)) {
    proxy.use(await authority.issue('127.0.0.1'))
    proxy.cut()
  }
  await waitFor(async () => (await readiness()) === 200)
})

test('in production the service does not start with unsafe settings', async () => {
  const process = startInProduction({ LOG_LEVEL: 'info', PORT: '0', AMQP_URL: 'amqp://guest:guest@127.0.0.1' })
  const output = text(process.stdout!)
  const [code] = await once(process, 'exit')
  expect([code, await output]).toEqual([1, expect.stringContaining('AMQP_URL: expected amqps')])
})
