import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { waitFor } from '@cobro/testing'
import { openPoster } from '../src/sending/post-webhook.ts'
import { checkUrl } from '../src/webhooks/check-url.ts'

const timeoutMs = 1_000
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A server that writes what it likes to each connection, for as long as it stays open. */
const rudeServer = (serve: (socket: Socket) => void) =>
  listening(
    createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', () => serve(socket))
    }),
  )
const politeServer = (handle: RequestListener) => listening(createHttpServer(handle))

function dribble(socket: Socket, text: string, everyMs: number, first = ''): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.on('close', () => clearInterval(timer))
}

async function posted(url: string, options: Partial<Parameters<typeof openPoster>[0]> = {}) {
  const poster = openPoster({ timeoutMs, ...options })
  try {
    return await poster.post(url, { 'X-Service-Event': 'payment.approved' }, Buffer.from('{}'))
  } finally {
    await poster.close()
  }
}

test.each<[string, (socket: Socket) => void, object]>([
  ['never answers', () => undefined, { status_code: null, error: 'timeout' }],
  [
    'speaks no HTTP, a letter at a time',
    socket => dribble(socket, 'X', 50),
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'never ends its headers',
    socket => dribble(socket, `x: ${'y'.repeat(2_000)}\r\n`, 1, 'HTTP/1.1 200 OK\r\n'),
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'speaks no HTTP',
    socket => void socket.end('220 smtp ready\r\n'),
    { status_code: null, error: 'response_unreadable' },
  ],
  ['hangs up', socket => void socket.destroy(), { status_code: null, error: 'connection_reset' }],
  [
    'drips its body',
    socket => dribble(socket, 'z', 100, 'HTTP/1.1 500 No\r\n\r\n'),
    { status_code: 500, error: null, response_body: expect.stringMatching(/^z{5,10}$/) },
  ],
  [
    'hangs up within its body',
    socket => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart'),
    { status_code: 200, error: null, response_body: 'part' },
  ],
])('a receiver that %s is done with in time', async (_what, serve, expected) => {
  const answer = await posted(await rudeServer(serve))
  expect(answer).toMatchObject(expected)
  expect(answer.duration_ms).toBeLessThan(timeoutMs + 500)
})

test('of an endless body the beginning is kept and the connection dropped', async () => {
  let sent = 0
  let closed = false
  const url = await politeServer((_request, response) => {
    const write = () => {
      while (response.write('é'.repeat(8_192))) sent += 16_384
    }
    response.on('drain', write).on('close', () => {
      closed = true
    })
    write()
  })
  const answer = await posted(url)
  expect(answer).toMatchObject({ status_code: 200, error: null, response_body: 'é'.repeat(1_024) })
  await waitFor(() => closed)
  expect(sent).toBeLessThan(16 * 1024 * 1024)
})

test('a compressed body is kept as it came', async () => {
  const bytes = Buffer.from([0x1f, 0x8b, 0x08, 0x00])
  const url = await politeServer((_request, response) => void response.setHeader('content-encoding', 'gzip').end(bytes))
  expect((await posted(url)).response_body).toHaveLength(4)
})

test('nobody there, no TLS there, and no such name', async () => {
  const plain = await politeServer((_request, response) => void response.end())
  expect((await posted(plain.replace('http:', 'https:'))).error).toBe('tls_failed')
  expect((await posted('http://127.0.0.1:9/')).error).toBe('connection_refused')
  const resolve = () => Promise.reject(new Error('NXDOMAIN'))
  expect((await posted('http://nobody.example/', { resolve })).error).toBe('name_unknown')
})

test('a name that turns private after it was saved, and any way to write an address, connects to nothing', async () => {
  let connections = 0
  const url = await rudeServer(() => undefined)
  servers.at(-1)?.on('connection', () => connections++)
  const { port } = new URL(url)
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const resolve = async () => answers.shift() ?? ['93.184.215.14', '127.0.0.1']
  const named = `http://rebind.example:${port}/`
  await checkUrl({ rules: { httpsOnly: false, allowPrivate: false }, resolve }, named)
  for (const target of [
    named,
    named,
    url,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://localhost:${port}/`,
    `http://0x7f.1:${port}/`,
  ]) {
    expect([target, await posted(target, { resolve })]).toEqual([
      target,
      expect.objectContaining({ status_code: null, error: 'address_refused' }),
    ])
  }
  expect(connections).toBe(0)
})

test('a name that resolves to a private address is refused when it is saved; one that does not resolve in time is taken', async () => {
  const rules = { httpsOnly: true, allowPrivate: false }
  const check = (resolve: () => Promise<string[]>) => checkUrl({ rules, resolve }, 'https://shop.example/hooks')
  await expect(check(async () => ['93.184.215.14', 'fd00::1'])).rejects.toThrow('url: expected a public address')
  await check(async () => ['93.184.215.14'])
  await check(() => Promise.reject(new Error('NXDOMAIN')))
  const began = performance.now()
  await check(() => new Promise(() => undefined))
  expect(performance.now() - began).toBeLessThan(2_500)
})
