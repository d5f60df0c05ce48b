import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

let server: Server
let address: string
let gate: TcpProxy
beforeEach(async () => {
  server = createServer(socket => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `echo://127.0.0.1:${(server.address() as AddressInfo).port}/path`
  gate = await tcpProxy(address)
})
afterEach(async () => {
  await gate.close()
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

test('lets everything through both ways, under the path of the real address', async () => {
  expect(new URL(gate.url).pathname).toBe('/path')
  const { socket, seen } = await call(gate.url)
  await waitFor(() => seen.text === 'hello')
  socket.destroy()
})

test('shut, it cuts what stands and refuses what comes; open again it is at the same place', async () => {
  const { seen } = await call(gate.url)
  await waitFor(() => seen.text === 'hello')
  await gate.shut()
  await waitFor(() => seen.ended !== '')
  const refused = await call(gate.url)
  await waitFor(() => refused.seen.ended === 'ECONNREFUSED')
  await gate.open()
  const { socket, seen: again } = await call(gate.url)
  await waitFor(() => again.text === 'hello')
  socket.destroy()
})

test('stalled, it takes connections and lets nothing through until it is open again', async () => {
  const standing = await call(gate.url)
  await waitFor(() => standing.seen.text === 'hello')
  gate.stall()
  standing.socket.write(' again')
  const coming = await call(gate.url)
  const direct = await call(address)
  await waitFor(() => direct.seen.text === 'hello')
  expect([standing.seen, coming.seen]).toEqual([
    { text: 'hello', ended: '' },
    { text: '', ended: '' },
  ])
  await gate.open()
  await waitFor(() => standing.seen.text === 'hello again' && coming.seen.text === 'hello')
  for (const { socket } of [standing, coming, direct]) socket.destroy()
})

test('holding answers back, it lets calls through', async () => {
  const heard: string[] = []
  server.on('connection', socket => socket.on('data', data => heard.push(String(data))))
  const standing = await call(gate.url)
  await waitFor(() => standing.seen.text === 'hello')
  gate.holdResponses()
  standing.socket.write(' again')
  await waitFor(() => heard.join('') === 'hello again')
  expect(standing.seen.text).toBe('hello')
  await gate.open()
  await waitFor(() => standing.seen.text === 'hello again')
  standing.socket.destroy()
})
