import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { ApiError, newId } from '@cobro/contracts'
import { type Logger, updateCallContext } from '@cobro/runtime'
import express from 'express'
import { internalHeaders } from '../src/internal-headers.ts'
import { listen } from '../src/listen.ts'
import { logCalls } from '../src/log-calls.ts'
import { bareApp } from '../src/service-app.ts'
import { keyCaller } from '../src/test-identity.ts'
import { type ServiceUnderTest, serviceUnderTest } from './service-under-test.ts'

let service: ServiceUnderTest
beforeEach(async () => {
  service = await serviceUnderTest()
})
afterEach(() => service.close())

const act = '/api/things/:id/act'
const requestId = newId('req')
const known = { [internalHeaders.requestId]: requestId }

/** The line of the one call that was made. */
async function lineOfCall() {
  const [line, ...more] = await service.linesOf(1)
  expect(more).toEqual([])
  return line
}

test('a call logs one line with its route, status and ids', async () => {
  const correlation_id = newId('corr')
  service.onAct(async () => {
    updateCallContext({ correlation_id })
    return { done: true }
  })
  await service.act(known)
  expect(await lineOfCall()).toEqual({
    ...{ method: 'POST', route: act, status_code: 200, duration_ms: expect.any(Number), outcome: undefined },
    ...{ request_id: requestId, correlation_id },
  })
})

test.each<[string, () => Promise<{ status: number }>, number, string | undefined]>([
  ['refused', () => service.act(known, { kind: 'payer' }), 401, act],
  ['without a caller', () => service.call('POST', '/api/things/thing_1/act', { as: null, headers: known }), 401, act],
  ['to a path that is none', () => service.call('GET', '/a/4242424242424242', { headers: known }), 404, undefined],
  ['by a wrong method', () => service.call('DELETE', '/api/things', { headers: known }), 405, '/api/things'],
  ['with a bad body', () => service.call('POST', '/api/things', { body: '{', headers: known }), 400, '/api/things'],
  [
    'with too large a body',
    () => service.call('POST', '/api/things', { body: 'x'.repeat(300_000), headers: known }),
    413,
    '/api/things',
  ],
])('a call %s logs one line without its path', async (_what, make, status, route) => {
  expect((await make()).status).toBe(status)
  const line = await lineOfCall()
  expect(line).toMatchObject({ status_code: status, request_id: requestId })
  expect(line?.route).toBe(route)
})

test('a failed call logs its line and its error under the same request id', async () => {
  service.onAct(() => Promise.reject(new Error('broken')))
  await service.act(known)
  expect(await lineOfCall()).toMatchObject({ status_code: 500, request_id: requestId })
  expect(service.logged).toMatchObject([{ level: 'error', request_id: requestId }])
})

test('a call whose client disconnected logs a line with the ids known by then', async () => {
  const correlation_id = newId('corr')
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  service.onAct(() => {
    updateCallContext({ correlation_id })
    begun.resolve()
    return over.promise
  })
  const leaving = new AbortController()
  const headers = { ...(await service.identity.headers(keyCaller())), ...known }
  const answer = fetch(`${service.url}/api/things/thing_1/act`, { method: 'POST', headers, signal: leaving.signal })
  await begun.promise
  leaving.abort()
  await expect(answer).rejects.toThrow()
  const gone = { status_code: 499, outcome: 'client_closed', request_id: requestId, correlation_id }
  expect(await lineOfCall()).toMatchObject(gone)
  over.reject(new ApiError('conflict'))
  await service.call('GET', '/api/things')
  expect(await service.linesOf(2)).toMatchObject([gone, { method: 'GET', route: '/api/things' }])
})

test('a call whose connection the server closed is logged as server_closed', async () => {
  service.onAct(({ socket }) => {
    socket.destroy()
    return new Promise(() => {})
  })
  await expect(service.act(known)).rejects.toThrow('fetch failed')
  expect(await lineOfCall()).toMatchObject({ status_code: 500, outcome: 'server_closed', request_id: requestId })
})

test.each([
  ['comes too slowly', 'Content-Length: 2\r\n\r\n{', 408, 'timed_out', 2_000],
  ['cannot be read', 'Transfer-Encoding: chunked\r\n\r\nnot a length\r\n', 400, 'unreadable', 60_000],
])('a call whose body %s logs the status that Node answered', async (_what, rest, status_code, outcome, limitMs) => {
  const logEvents = new EventEmitter()
  const app = bareApp().use(logCalls({ info: (line: object) => void logEvents.emit('line', line) } as Logger))
  app.post('/slow', express.raw({ type: () => true }))
  const limits = { requestTimeout: limitMs, headersTimeout: limitMs, connectionsCheckingInterval: 20 }
  const { port, close } = await listen(createServer(limits, app), '127.0.0.1', 0)
  const line = once(logEvents, 'line')
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.write(`POST /slow HTTP/1.1\r\nHost: a\r\n${rest}`)
  expect(await socket.toArray().then(parts => parts.join(''))).toMatch(`HTTP/1.1 ${status_code} `)
  expect(await line).toMatchObject([{ method: 'POST', route: '/slow', status_code, outcome }])
  await close()
})

test('concurrent calls on few connections do not mix their ids', async () => {
  service.onAct(async () => {
    const correlation_id = newId('corr')
    await new Promise(setImmediate)
    updateCallContext({ correlation_id })
    return { done: true }
  })
  const ids = Array.from({ length: 200 }, () => newId('req'))
  await Promise.all(ids.map(id => service.act({ [internalHeaders.requestId]: id })))
  const lines = await service.linesOf(ids.length)
  expect(new Set(lines.map(({ request_id }) => request_id))).toEqual(new Set(ids))
  expect(new Set(lines.map(({ correlation_id }) => correlation_id)).size).toBe(ids.length)
})

test.each(['/health/live', '/health/ready'])('%s logs no line', async path => {
  await service.call('GET', path, { as: null })
  await service.call('POST', path, { as: null })
  await service.call('GET', '/api/things')
  expect(await lineOfCall()).toMatchObject({ route: '/api/things' })
})

test('a malformed request id is not logged', async () => {
  await service.call('GET', '/api/nothing', { as: null, headers: { [internalHeaders.requestId]: 'req_4242 forged' } })
  expect(await lineOfCall()).toMatchObject({ request_id: null })
})
