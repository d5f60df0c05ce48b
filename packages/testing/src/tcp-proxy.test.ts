import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

let server: Server
let target: string
let proxy: TcpProxy
beforeEach(async () => {
  server = createServer(socket => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  target = `echo://127.0.0.1:${(server.address() as AddressInfo).port}/path`
  proxy = await tcpProxy(target)
})
afterEach(async () => {
  await proxy.close()
  await new Promise(resolve => server.close(resolve))
})

async function call(url: string) {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  const seen = { text: '', ended: '' }
  socket.on('data', data => (seen.text += data))
  socket.on('error', error => (seen.ended = (error as NodeJS.ErrnoException).code ?? ''))
  socket.on('close', () => (seen.ended ||= 'closed'))
  socket.write('hello')
  await new Promise(resolve => socket.once('connect', resolve).once('close', resolve))
  return { socket, seen }
}

test('a TCP proxy forwards data both ways and keeps the path of the URL', async () => {
  expect(new URL(proxy.url).pathname).toBe('/path')
  const { socket, seen } = await call(proxy.url)
  await waitFor(() => seen.text === 'hello')
  socket.destroy()
})

test('a shut TCP proxy closes connections and refuses new ones until it is opened on the same port', async () => {
  const { seen } = await call(proxy.url)
  await waitFor(() => seen.text === 'hello')
  await proxy.shut()
  await waitFor(() => seen.ended !== '')
  const refused = await call(proxy.url)
  await waitFor(() => refused.seen.ended === 'ECONNREFUSED')
  await proxy.open()
  const { socket, seen: again } = await call(proxy.url)
  await waitFor(() => again.text === 'hello')
  socket.destroy()
})

test('a stalled TCP proxy accepts connections and forwards nothing until it is opened', async () => {
  const existing = await call(proxy.url)
  await waitFor(() => existing.seen.text === 'hello')
  proxy.stall()
  existing.socket.write(' again')
  const later = await call(proxy.url)
  const direct = await call(target)
  await waitFor(() => direct.seen.text === 'hello')
  expect([existing.seen, later.seen]).toEqual([
    { text: 'hello', ended: '' },
    { text: '', ended: '' },
  ])
  await proxy.open()
  await waitFor(() => existing.seen.text === 'hello again' && later.seen.text === 'hello')
  for (const { socket } of [existing, later, direct]) socket.destroy()
})

test('a TCP proxy that holds responses still forwards requests', async () => {
  const received: string[] = []
  server.on('connection', socket => socket.on('data', data => received.push(String(data))))
  const existing = await call(proxy.url)
  await waitFor(() => existing.seen.text === 'hello')
  proxy.holdResponses()
  existing.socket.write(' again')
  await waitFor(() => received.join('') === 'hello again')
  expect(existing.seen.text).toBe('hello')
  await proxy.open()
  await waitFor(() => existing.seen.text === 'hello again')
  existing.socket.destroy()
})
