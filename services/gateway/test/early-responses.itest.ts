import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { ApiError, newId, operations } from '@cobro/contracts'
import { bareApp, finishApp, type Listening, listen, mountOperations } from '@cobro/http'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { createGatewayServer } from '../src/calls/gateway-server.ts'
import { openEventStreams } from '../src/forward/event-streams.ts'
import { forwardCall } from '../src/forward/forward-call.ts'
import { openUpstreams, type Upstreams } from '../src/forward/upstreams.ts'
import type { CallEnd } from '../src/spool/spooled-call.ts'
import { noConnectionLimits } from './gateway-world.ts'
import { type UpstreamStub, upstreamStub } from './upstream-stub.ts'

const operation = operations.find(({ id }) => id === 'payHostedSession')
const payments = `/hosted/v1/checkout/${newId('cs')}/payments`
const head = `POST ${payments} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
const logger = createLogger('gateway', 'silent')

let upstream: UpstreamStub
let upstreams: Upstreams
let listening: Listening
/** What becomes of the record of a call. */
let recorded: PromiseWithResolvers<void>
let ends: number[]
let malformed: number
beforeEach(async () => {
  upstream = await upstreamStub()
  const { url } = upstream
  const urls = { checkout: url, transactions: url, 'webhooks-dispatcher': url, 'audit-log': url }
  upstreams = openUpstreams({ urls, timeoutMs: 60_000 })
  recorded = Promise.withResolvers()
  ends = []
  malformed = 0
  listening = await listen(gatewayServer(), '127.0.0.1', 0)
})
afterEach(async () => {
  await listening.close()
  await upstreams.close()
  await upstream.close()
})

/** A server that forwards payments, and whose spool waits for `recorded`. */
function gatewayServer() {
  if (!operation) throw new Error('The operation is missing.')
  const app = bareApp()
  const deps = { upstreams, streams: openEventStreams(), identityFor: async () => 'identity', logger }
  mountOperations(app, [[operation, forwardCall({ ...deps, identify: async () => ({ kind: 'payer' }) }, operation)]])
  finishApp(app, { isUnavailable: () => false, logger })
  const end = async (_id: string, { status_code }: CallEnd) => {
    ends.push(status_code)
    if (ends.length === 1) await recorded.promise
  }
  const spool = { begin: () => undefined, end }
  const others = { headers: [], trustedProxies: [], connections: noConnectionLimits, logger }
  const server = createGatewayServer({ app, spool, ...others })
  return server.on('clientError', () => (malformed += 1))
}

const rejectEarly = () => {
  upstream.answer = () => undefined
  upstream.onHead = (_request, response) => {
    response.writeHead(415, { 'content-type': 'application/json' }).end('{"error":"unsupported"}')
  }
}

async function begin() {
  const socket = connect(listening.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`${head}1\r\n{\r\n`)
  return { socket, answers: text(socket).then(all => all.match(/^HTTP\/1\.1 \d+|^\{.*\}$/gm)) }
}

test.each([
  ['a malformed chunk', 'ZZ\r\n'],
  ['the end of the connection', undefined],
])('sends the early response of a service if %s arrives while it is recorded', async (_what, rest) => {
  rejectEarly()
  const { socket, answers } = await begin()
  await waitFor(() => ends.length > 0)
  if (rest) socket.write(rest)
  else socket.end()
  await waitFor(() => malformed > 0)
  recorded.resolve()
  expect([await answers, ends]).toEqual([['HTTP/1.1 415', '{"error":"unsupported"}'], [415]])
})

test('answers 503 if the early response cannot be recorded, also after a malformed chunk', async () => {
  rejectEarly()
  const { socket, answers } = await begin()
  await waitFor(() => ends.length > 0)
  socket.write('ZZ\r\n')
  await waitFor(() => malformed > 0)
  recorded.reject(new ApiError('unavailable', 'the call cannot be recorded at present'))
  expect([await answers, ends]).toEqual([
    ['HTTP/1.1 503', expect.stringContaining('cannot be recorded')],
    [415, 503],
  ])
})

test('answers a malformed chunk that comes before the response of the service', async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  upstream.onHead = () => resolve()
  const { socket, answers } = await begin()
  await arrived
  socket.write('ZZ\r\n')
  await waitFor(() => ends.length > 0)
  recorded.resolve()
  expect([await answers, ends]).toEqual([['HTTP/1.1 400', expect.stringContaining('cannot be read')], [400]])
})
