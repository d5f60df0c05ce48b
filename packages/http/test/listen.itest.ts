import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
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

test('a close lets the call in hand finish, and takes no other', async () => {
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

test('connections without a call do not hold a close up', async () => {
  const socket = await keptConnection()
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  const before = Date.now()
  await Promise.all([service.close(), once(socket, 'close')])
  expect(Date.now() - before).toBeLessThan(1_000)
})

test('a port that is taken fails the start', async () => {
  await expect(listen(() => {}, '127.0.0.1', service.port)).rejects.toThrow('EADDRINUSE')
})
