import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { mock } from 'node:test'
import { connectionLimits } from './connection-limits.ts'

const address = '203.0.113.1'
const socketFrom = (remoteAddress: string) =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })

afterEach(() => mock.timers.reset())

test('connections of an address that was rejected too often are accepted again when its window has ended', async () => {
  const now = Date.now()
  mock.timers.enable({ apis: ['Date'], now })
  const limits = connectionLimits({ limits: { exceeds: async () => 500 }, perAddress: 10, trustedProxies: [] })
  const server = createServer()
  limits.guard(server)
  const isAccepted = () => {
    const socket = socketFrom(address)
    server.emit('connection', socket)
    const { destroyed } = socket
    socket.destroy()
    return !destroyed
  }
  await limits.countRejected(address, socketFrom(address))
  mock.timers.setTime(now + 499)
  expect(isAccepted()).toBe(false)
  mock.timers.setTime(now + 500)
  expect(isAccepted()).toBe(true)
})
