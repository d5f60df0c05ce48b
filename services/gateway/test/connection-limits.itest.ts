import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { waitFor } from '@cobro/testing'
import type { Config } from '../src/config.ts'
import { parseIpRange } from '../src/network/ip-ranges.ts'
import { type GatewayWorld, gatewayUnderTest, start, token } from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

let gateways = 0
/** Starts a gateway with other limits. No window ends during a test. */
async function gateway(change: Partial<Config>) {
  const started = await start({ ...world.config, ...change, SPOOL_DIR: `${world.config.SPOOL_DIR}/${++gateways}` })
  stops.push(started.stop)
  await waitFor(() => answers(started.port, '/api/transactions', token(world.azul.key)))
  return started.port
}

/** Returns whether a call on a connection of its own is answered with 200. */
async function answers(port: number, path: string, headers?: Record<string, string>): Promise<boolean> {
  const { ask, socket } = await open(port)
  const status = statusOf(await ask(path, headers))
  socket.destroy()
  return status === 200
}

interface Connection {
  socket: Socket
  /** Sends a request and returns its response; an empty text if the connection is closed without one. */
  ask: (path: string, headers?: Record<string, string>) => Promise<string>
}

/** Opens a connection. Waits until the server has accepted or closed it. */
async function open(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => socket.destroy())
  const ask: Connection['ask'] = async (path, headers = {}) => {
    let answer = ''
    const read = (chunk: Buffer) => {
      answer += chunk
    }
    socket.on('data', read)
    const lines = Object.entries({ Host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}`)
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    await waitFor(() => socket.closed || /\r\n\r\n.*\}$/s.test(answer))
    socket.off('data', read)
    return answer
  }
  return { socket, ask }
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
/** The recorded calls of a path, once the call of a later path is recorded, too. */
async function recorded(path: string, port: number): Promise<number[]> {
  const last = `/after-${path.slice(1)}`
  await waitFor(async () => {
    const { ask, socket } = await open(port)
    const isAnswered = statusOf(await ask(last, token(world.azul.key))) > 0
    socket.destroy()
    return isAnswered
  })
  const calls = (of: string) => world.tap.messages.filter(({ data }) => data.path === of)
  await waitFor(() => calls(last).length > 0)
  return calls(path).map(({ data }) => data.status_code)
}

test('closes a connection beyond the limit of its address before a request is read', async () => {
  const port = await gateway({ CONNECTIONS_PER_ADDRESS: 3 })
  const connections = [await open(port), await open(port)]
  for (const { ask } of connections) expect(statusOf(await ask('/health/live'))).toBe(200)
  const third = await open(port)
  expect(statusOf(await third.ask('/one-too-many'))).toBe(404)
  const fourth = await open(port)
  expect(await fourth.ask('/one-too-many')).toBe('')
  third.socket.destroy()
  await waitFor(() => answers(port, '/health/live'))
  expect(await recorded('/one-too-many', port)).toEqual([404])
})

const limits: Partial<Config> = {
  RATE_LIMIT_ADDRESS: { calls: 2, seconds: 600 },
  RATE_LIMIT_REJECTED: { calls: 3, seconds: 600 },
}

test('closes the connections of an address that keeps calling although its calls are rejected', async () => {
  const port = await gateway(limits)
  const { ask, socket } = await open(port)
  const heads: string[] = []
  for (let call = 0; call < 6; call++) heads.push(await ask('/rejected'))
  expect(heads.map(statusOf)).toEqual([404, 404, 429, 429, 429, 429])
  expect(heads.map(head => /^connection: close/im.test(head))).toEqual([false, false, false, false, false, true])
  await waitFor(() => socket.closed)
  const next = await open(port)
  expect(await next.ask('/rejected')).toBe('')
})

test('counts requests that cannot be read as rejected calls', async () => {
  const port = await gateway(limits)
  for (let call = 0; call < 4; call++) expect(statusOf(await (await open(port)).ask('/ a b'))).toBe(400)
  expect(await (await open(port)).ask('/health/live')).toBe('')
})

test('closes the connections of an address that sends too many health checks, and answers them all', async () => {
  const port = await gateway(limits)
  const { ask, socket } = await open(port)
  const heads: string[] = []
  for (const path of ['/health', '/health/live', '/health/ready', '/health/live']) heads.push(await ask(path))
  expect(heads.map(head => /^connection: close/im.test(head))).toEqual([false, false, false, true])
  expect(heads.map(statusOf)).not.toContain(429)
  await waitFor(() => socket.closed)
  expect(await (await open(port)).ask('/health/live')).toBe('')
})

test('counts requests with an unknown expectation as rejected calls', async () => {
  const { ask, socket } = await open(await gateway(limits))
  const heads: string[] = []
  for (let call = 0; call < 4; call++) heads.push(await ask('/', { Expect: 'cake' }))
  expect(heads.map(statusOf)).toEqual([417, 417, 417, 417])
  await waitFor(() => socket.closed)
})

test('answers and records every call of a proxy, whose connections have many clients', async () => {
  const port = await gateway({
    ...limits,
    CONNECTIONS_PER_ADDRESS: 1,
    TRUSTED_PROXIES: [parseIpRange('127.0.0.0/8')],
  })
  const [one, two] = [await open(port), await open(port)]
  const client = { 'X-Forwarded-For': '203.0.113.1' }
  const statuses: number[] = []
  for (let call = 0; call < 8; call++) statuses.push(statusOf(await one.ask('/through-proxy', client)))
  expect(statuses).toEqual([404, 404, ...Array(6).fill(429)])
  expect(statusOf(await two.ask('/through-proxy', { 'X-Forwarded-For': '203.0.113.2' }))).toBe(404)
  expect(await recorded('/through-proxy', port)).toEqual([...statuses, 404])
})
