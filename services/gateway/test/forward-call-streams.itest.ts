import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { newId } from '@cobro/contracts'
import { internalHeaders } from '@cobro/http'
import { waitUntilStill } from '@cobro/testing'
import { type GatewayWorld, gatewayUnderTest, recordOf, send, token } from './gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())
beforeEach(() => world.upstream.reset())

const sessions = '/checkout/v1/sessions'
const session = `${sessions}/${newId('cs')}`
const mebibyte = 1024 * 1024
const json = { 'content-type': 'application/json' }

/** Starts a request whose body, if any, is written later. */
function begin(method: 'GET' | 'POST', path: string, headers: Record<string, string | number> = {}): ClientRequest {
  const call = httpRequest(`${world.url}${path}`, { method, headers: { ...token(world.azul.key), ...headers } })
  call.on('error', () => undefined)
  return call
}

const answerOf = async (call: ClientRequest) => ((await once(call, 'response')) as [IncomingMessage])[0]

test('forwards a large response at the speed of its reader, without buffering it', async () => {
  const total = 64
  let written = 0
  world.upstream.answer = async (_request, response) => {
    response.writeHead(200, { 'content-length': total * mebibyte })
    for (; written < total; written++) {
      if (!response.write(Buffer.alloc(mebibyte, 'x'))) await once(response, 'drain')
    }
    response.end()
  }
  const call = begin('GET', session)
  call.end()
  const answer = await answerOf(call)
  // Without a reader only the socket buffers fill.
  await waitUntilStill(() => written)
  expect(written).toBeLessThan(total / 2)
  let read = 0
  for await (const chunk of answer) read += (chunk as Buffer).length
  expect(read).toBe(total * mebibyte)
})

test('aborts the request to the service when the client disconnects while sending', async () => {
  const [begun, ended] = [Promise.withResolvers<string>(), Promise.withResolvers<boolean>()]
  world.upstream.onHead = incoming => {
    begun.resolve(String(incoming.headers[internalHeaders.requestId]))
    incoming.once('close', () => ended.resolve(incoming.complete))
  }
  const call = begin('POST', sessions, { ...json, 'content-length': 100 })
  call.write('{"amount_total"')
  const requestId = await begun.promise
  call.destroy()
  expect(await ended.promise).toBe(false)
  expect(world.upstream.received).toEqual([])
  // The client may have closed only its half of the connection, so it gets an error for the incomplete body.
  expect((await recordOf(world, requestId)).data.status_code).toBe(400)
})

test('aborts the request to the service when the client disconnects during the response', async () => {
  const left = Promise.withResolvers<boolean>()
  world.upstream.answer = (_request, response) => {
    response.once('close', () => left.resolve(response.writableFinished))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
  }
  const call = begin('GET', session)
  call.end()
  const answer = await answerOf(call)
  await once(answer, 'data')
  call.destroy()
  expect(await left.promise).toBe(false)
})

test('forwards a response that the service sends before it has read the whole body', async () => {
  world.upstream.answer = () => undefined
  world.upstream.onHead = (_incoming, response) => {
    response.writeHead(409, json).end('{"error":"conflict"}')
  }
  const call = begin('POST', sessions, { ...json, 'transfer-encoding': 'chunked' })
  call.write('{')
  const answer = await answerOf(call)
  expect(answer.statusCode).toBe(409)
  answer.resume()
  call.destroy()
})

test('unread request bodies do not accumulate', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const calls = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const call = begin('POST', '/nowhere', { ...json, 'transfer-encoding': 'chunked' })
      const answered = answerOf(call)
      call.write(chunk)
      const { statusCode } = await answered
      call.destroy()
      return statusCode
    }),
  )
  expect(new Set(calls)).toEqual(new Set([404]))
  expect((await send(world.url, session, { headers: token(world.azul.key) })).status).toBe(200)
})
