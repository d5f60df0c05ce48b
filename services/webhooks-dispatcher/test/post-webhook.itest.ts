import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { waitFor } from '@cobro/testing'
import { openWebhookClient } from '../src/sending/post-webhook.ts'
import { checkWebhookUrl } from '../src/ssrf-guard/check-webhook-url.ts'
import type { ResolveHostname } from '../src/ssrf-guard/resolve-hostname.ts'

/** The timeout of attempts that end by themselves. */
const longMs = 60_000
/** An attempt without a timeout would never end. */
const endlessMs = 30_000
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Starts a server that writes raw bytes to each connection. */
const rawServer = (serve: (socket: Socket) => void) =>
  listening(
    createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', () => serve(socket))
    }),
  )
const httpServer = (handle: RequestListener) => listening(createHttpServer(handle))

function dribble(socket: Socket, text: string, everyMs: number, first = ''): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.on('close', () => clearInterval(timer))
}

async function posted(url: string, resolve?: ResolveHostname, timeoutMs = longMs) {
  const client = openWebhookClient(timeoutMs, resolve)
  try {
    return await client.post(url, { 'X-Service-Event': 'payment.approved' }, Buffer.from('{}'))
  } finally {
    await client.close()
  }
}

test.each<[string, (socket: Socket) => void, object, timeoutMs?: number]>([
  ['never responds', () => undefined, { status_code: null, error: 'timeout' }, 1_000],
  [
    'sends something other than HTTP, one byte at a time',
    socket => dribble(socket, 'X', 50),
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'never ends its headers',
    socket => dribble(socket, `x: ${'y'.repeat(2_000)}\r\n`, 1, 'HTTP/1.1 200 OK\r\n'),
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'sends something other than HTTP',
    socket => void socket.end('220 smtp ready\r\n'),
    { status_code: null, error: 'response_unreadable' },
  ],
  ['closes the connection', socket => void socket.destroy(), { status_code: null, error: 'connection_reset' }],
  [
    'sends its body slowly',
    socket => dribble(socket, 'z', 100, 'HTTP/1.1 500 No\r\n\r\nz'),
    { status_code: 500, error: null, response_body: expect.stringMatching(/^z+$/) },
    3_000,
  ],
  [
    'closes the connection within its body',
    socket => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart'),
    { status_code: 200, error: null, response_body: 'part' },
  ],
])('a webhook to a receiver that %s ends within its timeout', async (_case, serve, expected, timeoutMs = longMs) => {
  const response = await posted(await rawServer(serve), undefined, timeoutMs)
  expect(response).toMatchObject(expected)
  expect(response.duration_ms).toBeGreaterThanOrEqual(timeoutMs === longMs ? 0 : timeoutMs * 0.95)
  expect(response.duration_ms).toBeLessThan(endlessMs)
})

test('the start of an endless response body is kept and the connection closed', async () => {
  let sent = 0
  let closed = false
  const url = await httpServer((_request, response) => {
    const write = () => {
      while (response.write('é'.repeat(8_192))) sent += 16_384
    }
    response.on('drain', write).on('close', () => {
      closed = true
    })
    write()
  })
  const response = await posted(url)
  expect(response).toMatchObject({ status_code: 200, error: null, response_body: 'é'.repeat(1_024) })
  await waitFor(() => closed)
  expect(sent).toBeLessThan(16 * 1024 * 1024)
})

test('a receiver whose response is longer than what is kept is sent the next webhook on the same connection', async () => {
  const sockets = new Set<unknown>()
  const url = await httpServer((request, response) => {
    sockets.add(request.socket)
    request.resume().once('end', () => response.end('x'.repeat(5_000)))
  })
  const client = openWebhookClient(longMs)
  for (let sent = 0; sent < 3; sent++) {
    const response = await client.post(url, {}, Buffer.from('{}'))
    expect(response).toMatchObject({ status_code: 200, error: null, response_body: 'x'.repeat(1_024) })
    await new Promise(setImmediate)
  }
  await client.close()
  expect(sockets.size).toBe(1)
})

test('a compressed response body is kept as received', async () => {
  const bytes = Buffer.from([0x1f, 0x8b, 0x08, 0x00])
  const url = await httpServer((_request, response) => void response.setHeader('content-encoding', 'gzip').end(bytes))
  expect((await posted(url)).response_body).toHaveLength(4)
})

test('a webhook fails with tls_failed, connection_refused or name_unknown if the receiver cannot be reached', async () => {
  const plain = await httpServer((_request, response) => void response.end())
  expect((await posted(plain.replace('http:', 'https:'))).error).toBe('tls_failed')
  expect((await posted('http://127.0.0.1:9/')).error).toBe('connection_refused')
  const resolve = () => Promise.reject(new Error('NXDOMAIN'))
  expect((await posted('http://missing.example/', resolve)).error).toBe('name_unknown')
})

test('no connection is opened to a hostname that becomes private after it was saved, nor to private addresses in any notation', async () => {
  let connections = 0
  const url = await rawServer(() => undefined)
  servers.at(-1)?.on('connection', () => connections++)
  const { port } = new URL(url)
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const resolve = async () => answers.shift() ?? ['93.184.215.14', '127.0.0.1']
  const named = `http://rebind.example:${port}/`
  await checkWebhookUrl({ rules: { httpsOnly: false, allowPrivate: false }, resolve }, named)
  for (const target of [
    named,
    named,
    url,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://localhost:${port}/`,
    `http://0x7f.1:${port}/`,
  ]) {
    expect([target, await posted(target, resolve)]).toEqual([
      target,
      expect.objectContaining({ status_code: null, error: 'address_refused' }),
    ])
  }
  expect(connections).toBe(0)
})

test('a webhook URL is rejected if its hostname resolves to a private address, and accepted if it does not resolve in time', async () => {
  const rules = { httpsOnly: true, allowPrivate: false }
  const check = (resolve: () => Promise<string[]>) => checkWebhookUrl({ rules, resolve }, 'https://shop.example/hooks')
  await expect(check(async () => ['93.184.215.14', 'fd00::1'])).rejects.toThrow('url: expected a public address')
  await check(async () => ['93.184.215.14'])
  await check(() => Promise.reject(new Error('NXDOMAIN')))
  const began = performance.now()
  await check(() => new Promise(() => undefined))
  expect(performance.now() - began).toBeLessThan(endlessMs)
})
