import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { bareApp } from '@cobro/http'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { createGatewayServer } from '../src/calls/gateway-server.ts'
import { noConnectionLimits, send } from './gateway-world.ts'

const crowd = 300
/** Shorter than in production, and long enough for others on a busy machine. */
const timeoutMs = 3_000

const recorded: number[] = []
const spool = {
  begin: () => undefined,
  end: async (_id: string, { status_code }: { status_code: number }) => void recorded.push(status_code),
}

let server: Server
let port: number
const slow = new Set<Socket>()
let dripping: NodeJS.Timeout
beforeAll(async () => {
  const app = bareApp()
  app.all('/', (request, response) => void request.resume().once('end', () => response.json({})))
  server = createGatewayServer({
    app,
    spool,
    headers: [],
    trustedProxies: [],
    connections: noConnectionLimits,
    logger: createLogger('gateway', 'silent'),
  })
  Object.assign(server, { headersTimeout: timeoutMs, requestTimeout: timeoutMs })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  // Sends a byte now and then, so that the connections are never idle.
  dripping = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('a')
  }, 100)
})
afterAll(async () => {
  clearInterval(dripping)
  for (const socket of slow) socket.destroy()
  await new Promise(resolve => server.close(resolve))
})

function drip(text: string) {
  const state = { answer: '', closed: false }
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(text)
    slow.add(socket)
  })
  // A client that keeps sending after the response gets a connection reset and can lose the response.
  socket.on('data', data => {
    slow.delete(socket)
    state.answer += data
  })
  socket.on('error', () => undefined)
  socket.once('close', () => {
    slow.delete(socket)
    state.closed = true
  })
  return state
}

test.each([
  ['heads', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: '],
  ['bodies', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n'],
  ['chunks', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n'],
])('ends and records requests whose %s arrive byte by byte with 408, without delaying others', async (_what, text) => {
  recorded.length = 0
  const calls = Array.from({ length: crowd }, () => drip(text))
  let served = 0
  await waitFor(async () => {
    expect((await send(`http://127.0.0.1:${port}`, '/')).status).toBe(200)
    if (calls.some(({ closed }) => !closed)) served++
    return calls.every(({ closed }) => closed)
  })
  expect(new Set(calls.map(({ answer }) => answer.split('\r\n', 1)[0]))).toEqual(
    new Set(['HTTP/1.1 408 Request Timeout']),
  )
  expect(recorded.filter(status => status === 408)).toHaveLength(crowd)
  expect(served).toBeGreaterThan(0)
})
