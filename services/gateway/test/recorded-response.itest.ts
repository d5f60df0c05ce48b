import { ApiError } from '@cobro/contracts'
import { bareApp, finishApp, type Listening, listen } from '@cobro/http'
import { createLogger } from '@cobro/runtime'
import { rawCall } from '@cobro/testing/raw-call'
import { checkRequestHead } from '../src/calls/check-request-head.ts'
import { createGatewayServer } from '../src/calls/gateway-server.ts'
import type { CallBegin, CallEnd } from '../src/spool/spooled-call.ts'
import { noConnectionLimits, send } from './gateway-world.ts'

let listening: Listening
afterEach(() => listening.close())

const away = new ApiError('unavailable', 'the call cannot be recorded at present')

/** Starts a server whose spool fails as requested, and records the calls of the spool. */
async function startServer(fails: { begin?: boolean; durableEnd?: boolean }) {
  const ends: (Pick<CallEnd, 'status_code' | 'outcome'> & { durable: boolean })[] = []
  const logged: unknown[] = []
  const logger = createLogger('gateway', 'info', { write: line => void logged.push(JSON.parse(line)) })
  let worked = 0
  const app = bareApp()
  app.use(checkRequestHead)
  app.use('/broken', (_request, response) => {
    response.writeHead(200, { 'content-length': 10 })
    response.write('half')
    throw new Error('broken after the head')
  })
  app.use((_request, response) => void response.json({ worked: ++worked }))
  finishApp(app, { isUnavailable: () => false, logger })
  const spool = {
    begin(_call: CallBegin, { required }: { required: boolean }) {
      if (fails.begin && required) throw away
    },
    async end(_id: string, { status_code, outcome }: CallEnd, { durable }: { durable: boolean }) {
      ends.push({ status_code, durable, ...(outcome ? { outcome } : {}) })
      if (fails.durableEnd && durable) throw away
    },
  }
  let rejections = 0
  const countRejected = async () => {
    rejections += 1
    return false
  }
  const connections = { ...noConnectionLimits, countRejected }
  const server = createGatewayServer({ app, spool, headers: [], trustedProxies: [], connections, logger })
  listening = await listen(server, '127.0.0.1', 0)
  return {
    url: `http://127.0.0.1:${listening.port}`,
    port: listening.port,
    ends,
    worked: () => worked,
    rejections: () => rejections,
    warnings: () => logged.filter(line => (line as { level: string }).level !== 'info'),
    lines: () => logged.filter(line => (line as { msg: string }).msg === 'call'),
  }
}

const rejected = { error: 'unavailable: the call cannot be recorded at present' }

test('does not process a change that cannot be recorded', async () => {
  const { url, ends, worked, lines } = await startServer({ begin: true, durableEnd: true })
  const answer = await send(url, '/a', { body: {} })
  expect([answer.status, answer.body, worked()]).toEqual([503, rejected, 0])
  expect(answer.requestId).toMatch(/^req_/)
  expect(ends.at(-1)).toEqual({ status_code: 503, durable: false })
  expect(lines()).toMatchObject([{ method: 'POST', path: '/a', status_code: 503, request_id: answer.requestId }])
})

test('does not send 100 Continue for a call that cannot be recorded', async () => {
  const { port, ends } = await startServer({ begin: true })
  const head = 'POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'
  expect((await rawCall(port, head)).map(({ status }) => status)).toEqual([503])
  expect(ends.map(({ status_code }) => status_code)).toEqual([503])
  await listening.close()
  const well = await startServer({})
  expect((await rawCall(well.port, `${head}{}`)).map(({ status }) => status)).toEqual([100, 200])
})

test('serves a read that cannot be recorded', async () => {
  const { url, ends } = await startServer({ begin: true, durableEnd: true })
  expect((await send(url, '/a')).status).toBe(200)
  expect(ends).toEqual([{ status_code: 200, durable: false }])
})

test('replaces a response whose end cannot be recorded by a 503, and records that', async () => {
  const { url, ends, worked, lines } = await startServer({ durableEnd: true })
  const answer = await send(url, '/a', { body: {} })
  expect([answer.status, answer.body, worked()]).toEqual([503, rejected, 1])
  expect(ends).toEqual([
    { status_code: 200, durable: true },
    { status_code: 503, durable: false },
  ])
  expect(lines()).toMatchObject([{ status_code: 503, request_id: answer.requestId }])
})

test('on a working disk ends each call once, durably if it may have changed something', async () => {
  const { url, ends } = await startServer({})
  await send(url, '/a', { body: {} })
  await send(url, '/a', { method: 'DELETE' })
  await send(url, '/a')
  expect(ends.map(({ durable }) => durable)).toEqual([true, true, false])
})

test('logs one line per call, except for health probes', async () => {
  const { url, lines } = await startServer({})
  for (const path of ['/health/live', '/health/ready', '/health', '/a?key=vk_test_secret']) await send(url, path)
  expect(lines()).toMatchObject([{ path: '/health' }, { path: '/a' }])
  expect(JSON.stringify(lines())).not.toContain('secret')
})

test('closes the connection of a response that breaks after its head, and counts no rejected call', async () => {
  const { port, rejections, warnings } = await startServer({})
  const [answer] = await rawCall(port, 'GET /broken HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(answer?.status).toBe(200)
  expect([rejections(), warnings()]).toEqual([0, [expect.objectContaining({ level: 'error', msg: 'internal_error' })]])
})
