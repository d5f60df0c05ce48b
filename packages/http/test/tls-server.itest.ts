import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { type TestAuthority, type TestCertificate, testAuthority } from '@cobro/testing/test-certificates'
import { Agent, request } from 'undici'
import { type Listening, listen } from '../src/listen.ts'
import { reloadCertificate } from '../src/tls-server.ts'

let authority: TestAuthority
let dir: string
let settings: { TLS_CERT_FILE: string; TLS_KEY_FILE: string }
let listening: Listening
let reload: { stop: () => Promise<void> }
let agent: Agent
beforeEach(async () => {
  authority = await testAuthority()
  dir = await mkdtemp(join(tmpdir(), 'cobro-tls-'))
  settings = { TLS_CERT_FILE: join(dir, 'tls.crt'), TLS_KEY_FILE: join(dir, 'tls.key') }
  await store(await authority.issue('localhost'))
  listening = await listen((_request, response) => response.end('done'), '127.0.0.1', 0, settings)
  reload = reloadCertificate(listening.server, settings, createLogger('tls-test', 'silent'), 20)
  agent = new Agent({ connect: { ca: authority.cert } })
})
afterEach(async () => {
  await agent.close()
  await reload.stop()
  await listening.close()
  await rm(dir, { recursive: true })
})

async function store({ cert, key }: TestCertificate): Promise<void> {
  await writeFile(settings.TLS_CERT_FILE, cert)
  await writeFile(settings.TLS_KEY_FILE, key)
}

async function get(dispatcher: Agent): Promise<string> {
  const { body } = await request(`https://localhost:${listening.port}/`, { dispatcher })
  return body.text()
}

/** Returns the certificate that a new connection gets. */
async function served(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const options = { host: '127.0.0.1', port: listening.port, servername: 'localhost', ca: authority.cert }
  const socket = connect(options, () => resolve(socket)).once('error', reject)
  const certificate = (await promise).getPeerX509Certificate()?.toString() ?? ''
  socket.destroy()
  return certificate
}

test('a server with a certificate listens with https only', async () => {
  expect(await get(agent)).toBe('done')
  await expect(fetch(`http://localhost:${listening.port}/`)).rejects.toThrow()
})

test('a caller that does not know the authority gets no response', async () => {
  const stranger = new Agent()
  await expect(get(stranger)).rejects.toThrow('unable to verify')
  await stranger.close()
})

test('a rotated certificate is served to new connections without a restart', async () => {
  const next = await authority.issue('localhost')
  expect(await get(agent)).toBe('done')
  await store(next)
  await waitFor(async () => (await served()).trim() === next.cert.trim())
  expect(await get(agent)).toBe('done')
})

test('a certificate without its key leaves the served one in place until the key arrives', async () => {
  const before = await served()
  const next = await authority.issue('localhost')
  await writeFile(settings.TLS_CERT_FILE, next.cert)
  await expect(waitFor(async () => (await served()) !== before, { timeoutMs: 500 })).rejects.toThrow()
  await writeFile(settings.TLS_KEY_FILE, next.key)
  await waitFor(async () => (await served()).trim() === next.cert.trim())
})

test('close lets a call with https in flight finish', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  listening.server.removeAllListeners('request').on('request', async (_request, response) => {
    begin()
    await held
    response.end('finished')
  })
  const calling = get(agent)
  await begun
  const closing = listening.close()
  await expect(get(new Agent({ connect: { ca: authority.cert } }))).rejects.toThrow()
  answer()
  expect(await calling).toBe('finished')
  await closing
})

test('a server with a certificate and no key does not start', async () => {
  const { TLS_CERT_FILE } = settings
  await expect(listen(() => {}, '127.0.0.1', 0, { TLS_CERT_FILE })).rejects.toThrow('TLS_KEY_FILE')
})
