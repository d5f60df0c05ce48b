import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { listen } from '../src/listen.ts'
import { type ServiceUnderTest, serviceUnderTest } from './service-under-test.ts'

let service: ServiceUnderTest
const sockets: Socket[] = []
beforeEach(async () => {
  service = await serviceUnderTest()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await service.close()
})

async function keptConnection(): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** Checks that the service closes before Node's own timeouts would do so, after 30 s or more. */
async function closesSoon(socket: Socket): Promise<void> {
  const before = Date.now()
  await Promise.all([service.close(), once(socket, 'close')])
  expect(Date.now() - before).toBeLessThan(20_000)
}

test('close lets a call in flight finish and accepts no other', async () => {
  const { promise: held, resolve: answer } = Promise.withResolvers<{ done: boolean }>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  service.onAct(() => {
    begin()
    return held
  })
  const calling = service.act()
  await begun
  let closed = false
  const closing = service.close().then(() => {
    closed = true
  })
  await expect(service.call('GET', '/api/things')).rejects.toThrow()
  expect(closed).toBe(false)
  answer({ done: true })
  expect(await calling).toMatchObject({ status: 200, body: { done: true } })
  await closing
})

test('close cuts off a call that takes too long', async () => {
  const { server, port, close } = await listen(() => undefined, '127.0.0.1', 0)
  const begun = once(server, 'request')
  const cutOff = expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow()
  await begun
  await close(100)
  await cutOff
})

test('idle connections do not delay close', async () => {
  const socket = await keptConnection()
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  await closesSoon(socket)
})

test('a connection that was never used does not delay close', async () => {
  const socket = await keptConnection()
  await closesSoon(socket)
})

test('a call that arrives on a keep-alive connection as close begins is answered with Connection: close', async () => {
  const socket = await keptConnection()
  let heard = ''
  socket.on('data', bytes => {
    heard += bytes
  })
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  const closing = service.close()
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await Promise.all([closing, once(socket, 'close')])
  expect(heard.match(/HTTP\/1.1 200/g)).toHaveLength(2)
  expect(heard).toContain('Connection: close')
})

test('a draining service is not ready and answers calls on old and new connections with Connection: close', async () => {
  const socket = await keptConnection()
  let heard = ''
  socket.on('data', bytes => {
    heard += bytes
  })
  const drained = service.drain(500)
  const [ready, act] = await Promise.all([
    service.call('GET', '/health/ready', { as: null }),
    service.call('GET', '/api/things'),
  ])
  expect([ready.status, act.status]).toEqual([503, 200])
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'close')
  expect(heard).toMatch(/^HTTP\/1.1 200[\s\S]*Connection: close/)
  await drained
  expect((await service.call('GET', '/api/things')).status).toBe(200)
  await service.close()
})

test('a call in flight when a service begins to drain is answered with Connection: close', async () => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { port, drain, close } = await listen(
    async (_request, response) => {
      begin()
      await held
      response.end('done')
    },
    '127.0.0.1',
    0,
  )
  const calling = fetch(`http://127.0.0.1:${port}/`)
  await begun
  await drain(0)
  answer()
  expect((await calling).headers.get('connection')).toBe('close')
  await close()
})

test('responses ask clients to close idle connections after 4 s, and the server keeps them for 65 s', async () => {
  const { server, port, close } = await listen((_request, response) => response.end('done'), '127.0.0.1', 0)
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  expect(headers.get('keep-alive')).toBe('timeout=4')
  expect(server.keepAliveTimeout + server.keepAliveTimeoutBuffer).toBe(65_000)
  await close()
})

test('a call with Expect: 100-continue counts as in flight', async () => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const server = createServer()
  server.on('checkContinue', async (_request, response) => {
    response.writeContinue()
    begin()
    await held
    response.end('done')
  })
  const { port, drain, close } = await listen(server, '127.0.0.1', 0)
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let heard = ''
  socket.on('data', bytes => {
    heard += bytes
  })
  await drain(0)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n')
  await begun
  const closing = close()
  await setTimeout(500)
  answer()
  await Promise.all([closing, once(socket, 'close')])
  expect(heard).toMatch(/^HTTP\/1.1 100 Continue[\s\S]*HTTP\/1.1 200[\s\S]*Connection: close[\s\S]*done/)
})

test('listen rejects if the port is in use', async () => {
  await expect(listen(() => {}, '127.0.0.1', service.port)).rejects.toThrow('EADDRINUSE')
})
