import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import type { PostedMany, PostMany } from './fixtures/post-many.ts'
import { selfSigned } from './self-signed.ts'

const timeoutMs = 1_000
/** How late an attempt may end on a busy machine. */
const slackMs = 1_000
const mebibyte = 1_048_576

const days = (count: number) => new Date(Date.now() + count * 86_400_000)
const certificates = {
  trusted: selfSigned('127.0.0.1', days(-1), days(1)),
  expired: selfSigned('127.0.0.1', days(-2), days(-1)),
  elsewhere: selfSigned('127.0.0.9', days(-1), days(1)),
  unknown: selfSigned('127.0.0.1', days(-1), days(1)),
}

const servers: Server[] = []
let dir: string
let sender: ChildProcess
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cobro-receivers-'))
  const authorities = join(dir, 'authorities.pem')
  const { trusted, expired, elsewhere } = certificates
  await writeFile(authorities, trusted.cert + expired.cert + elsewhere.cert)
  // A process of its own, so that only what the sender holds is counted.
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

/** Writes again and again, as fast as it is read or once in `everyMs`, until the other side has had enough. */
function keepWriting(socket: Socket, piece: string | Buffer, everyMs?: number): void {
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.write(piece), everyMs)
    socket.on('close', () => clearInterval(timer))
    return
  }
  const pour = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', pour)
  pour()
}

const ok = 'HTTP/1.1 200 OK\r\n'
const chunk = 'x'.repeat(65_536)
const bomb = gzipSync(Buffer.alloc(100 * mebibyte))

const receivers: [what: string, serve: (socket: Socket) => void, expected: object][] = [
  ['hangs', () => undefined, { status_code: null, error: 'timeout' }],
  [
    'drips its headers',
    socket => {
      socket.write(ok)
      keepWriting(socket, 'a', 100)
    },
    { status_code: null, error: 'timeout' },
  ],
  [
    'never ends its headers',
    socket => {
      socket.write(ok)
      keepWriting(socket, `x-filler: ${'y'.repeat(1_000)}\r\n`)
    },
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'never ends one header',
    socket => {
      socket.write(`${ok}x-filler: `)
      keepWriting(socket, chunk)
    },
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'sends early hints without end',
    socket => keepWriting(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 1),
    {
      status_code: null,
      error: 'timeout',
    },
  ],
  [
    'drips its body',
    socket => {
      socket.write(`${ok}content-length: 1000\r\n\r\n`)
      keepWriting(socket, 'z', 100)
    },
    { status_code: 200, error: null, response_body: expect.stringMatching(/^z{1,10}$/) },
  ],
  [
    'sends a body of 1 GiB',
    socket => {
      socket.write(`${ok}content-length: ${1024 * mebibyte}\r\n\r\n`)
      keepWriting(socket, chunk)
    },
    { status_code: 200, error: null, response_body: 'x'.repeat(1_024) },
  ],
  [
    'sends chunks without end',
    socket => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`)
      keepWriting(socket, `10000\r\n${chunk}\r\n`)
    },
    { status_code: 200, error: null, response_body: 'x'.repeat(1_024) },
  ],
  [
    'never ends the size of a chunk',
    socket => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`)
      keepWriting(socket, '0'.repeat(1_024), 5)
    },
    { status_code: 200, error: null, response_body: '' },
  ],
  [
    'sends a gzip bomb',
    socket => {
      socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.end(bomb)
    },
    { status_code: 200, error: null, response_body: expect.any(String) },
  ],
  [
    'resets within its headers',
    socket => {
      socket.write('HTTP/1.1 200')
      socket.resetAndDestroy()
    },
    { status_code: null, error: 'connection_reset' },
  ],
  [
    'resets within its body',
    socket => {
      socket.write(`${ok}content-length: 1000\r\n\r\npart`, () => setImmediate(() => socket.resetAndDestroy()))
    },
    { status_code: 200, error: null },
  ],
  [
    'redirects to itself',
    socket => {
      socket.write('HTTP/1.1 307 Elsewhere\r\nlocation: /\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    },
    { status_code: 307, error: null, response_body: '' },
  ],
  [
    'is gone',
    socket => {
      socket.write('HTTP/1.1 410 Gone\r\nconnection: close\r\ncontent-length: 4\r\n\r\ngone')
    },
    { status_code: 410, error: null, response_body: 'gone' },
  ],
  [
    'is busy',
    socket => {
      socket.write('HTTP/1.1 429 Busy\r\nretry-after: 60\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    },
    { status_code: 429, error: null, response_body: '' },
  ],
  [
    'answers twice at once',
    socket => {
      socket.write(`${ok}content-length: 3\r\n\r\noneHTTP/1.1 410 Gone\r\ncontent-length: 3\r\n\r\ntwo`)
    },
    { status_code: 200, error: null, response_body: 'one' },
  ],
]

test.each(receivers)(
  'a receiver that %s costs its deadline at the most, and no memory',
  async (_what, serve, expected) => {
    const url = await listening(
      createServer(socket => {
        socket.on('error', () => undefined)
        socket.once('data', () => serve(socket))
      }),
    )
    const { answers, heldBytes, peakBytes } = await postMany({ url, times: 40, atOnce: 20, timeoutMs })
    expect(answers).toHaveLength(40)
    for (const answer of answers) {
      expect(answer).toMatchObject(expected)
      expect(answer.duration_ms).toBeLessThan(timeoutMs + slackMs)
    }
    expect(heldBytes).toBeLessThan(5 * mebibyte)
    expect(peakBytes).toBeLessThan(16 * mebibyte)
  },
)

test.each<[string, { cert: string; key: string }, object]>([
  ['vouches for itself alone', certificates.unknown, { status_code: null, error: 'tls_failed' }],
  ['is out of date', certificates.expired, { status_code: null, error: 'tls_failed' }],
  ['is that of another address', certificates.elsewhere, { status_code: null, error: 'tls_failed' }],
  ['is in order', certificates.trusted, { status_code: 200, error: null }],
])('TLS: a certificate that %s', async (_what, certificate, expected) => {
  const requests: string[] = []
  const server = createTlsServer(certificate, socket => {
    socket.on('error', () => undefined)
    socket.once('data', data => {
      requests.push(data.toString())
      socket.end(`${ok}content-length: 0\r\n\r\n`)
    })
  })
  server.on('tlsClientError', () => undefined)
  const { answers } = await postMany({ url: await listening(server, 'https'), times: 2, atOnce: 1, timeoutMs })
  for (const answer of answers) expect(answer).toMatchObject(expected)
  expect(requests.length > 0).toBe(certificate === certificates.trusted)
})
