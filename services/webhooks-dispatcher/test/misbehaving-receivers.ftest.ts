import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expired, selfSigned } from '@cobro/testing/test-certificates'
import type { PostedMany, PostMany } from './fixtures/post-many.ts'
import { malformedResponses } from './malformed-responses.ts'

/** The timeout of attempts that end by themselves. */
const longMs = 60_000
/** An attempt without a timeout would never end. */
const endlessMs = 30_000
const mebibyte = 1_048_576

const certificates = {
  trusted: await selfSigned('127.0.0.1'),
  expired: await selfSigned('127.0.0.1', expired),
  elsewhere: await selfSigned('127.0.0.9'),
  unknown: await selfSigned('127.0.0.1'),
}

const servers: Server[] = []
let dir: string
let sender: ChildProcess
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cobro-receivers-'))
  const authorities = join(dir, 'authorities.pem')
  const { trusted, expired, elsewhere } = certificates
  await writeFile(authorities, trusted.cert + expired.cert + elsewhere.cert)
  // A separate process, so that only the memory of the sender is measured.
  sender = fork(join(import.meta.dirname, 'fixtures', 'post-many.ts'), {
    execArgv: ['--conditions=cobro-source', '--expose-gc'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_EXTRA_CA_CERTS: authorities },
  })
})
afterAll(async () => {
  sender.kill('SIGKILL')
  for (const server of servers) server.close()
  await rm(dir, { recursive: true, force: true })
})

async function postMany(work: PostMany): Promise<PostedMany> {
  sender.send(work)
  const [result] = await once(sender, 'message')
  return result as PostedMany
}

async function listening(server: Server, scheme = 'http'): Promise<string> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test.each(malformedResponses)(
  'a webhook to a receiver that %s ends within its timeout and leaks no memory',
  async (_case, serve, expected, timeoutMs = longMs) => {
    const url = await listening(
      createServer(socket => {
        socket.on('error', () => undefined)
        socket.once('data', () => serve(socket))
      }),
    )
    const work = { url, times: 40, atOnce: 20, timeoutMs }
    const { answers, heldBytes, peakBytes } = await postMany(work)
    expect(answers).toHaveLength(40)
    for (const answer of answers) {
      expect(answer).toMatchObject(expected)
      expect(answer.duration_ms).toBeLessThan(endlessMs)
    }
    expect(heldBytes).toBeLessThan(5 * mebibyte)
    expect(peakBytes).toBeLessThan(16 * mebibyte)
  },
)

test.each<[string, { cert: string; key: string }, object]>([
  ['is self-signed', certificates.unknown, { status_code: null, error: 'tls_failed' }],
  ['has expired', certificates.expired, { status_code: null, error: 'tls_failed' }],
  ['belongs to another address', certificates.elsewhere, { status_code: null, error: 'tls_failed' }],
  ['is valid', certificates.trusted, { status_code: 200, error: null }],
])('a webhook to a receiver whose TLS certificate %s has the expected result', async (_case, certificate, expected) => {
  const requests: string[] = []
  const server = createTlsServer(certificate, socket => {
    socket.on('error', () => undefined)
    socket.once('data', data => {
      requests.push(data.toString())
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
  server.on('tlsClientError', () => undefined)
  const { answers } = await postMany({ url: await listening(server, 'https'), times: 2, atOnce: 1, timeoutMs: longMs })
  for (const answer of answers) expect(answer).toMatchObject(expected)
  expect(requests.length > 0).toBe(certificate === certificates.trusted)
})
