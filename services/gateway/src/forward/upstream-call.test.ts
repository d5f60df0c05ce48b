import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { waitUntilStill } from '@cobro/testing'
import { Pool, request } from 'undici'
import { UpstreamCall } from './upstream-call.ts'

const mebibyte = Buffer.alloc(1024 * 1024, 'x')
const stopping: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop()
})

type Handle = (response: ServerResponse) => void

async function serve(handle: Handle): Promise<string> {
  const server: Server = createServer((_request, response) => handle(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stopping.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a request to a service that answers with `handle`. Returns also when its connection ends. */
async function startCall(handle: Handle) {
  const pool = new Pool(await serve(handle))
  stopping.push(() => pool.destroy())
  const call = new UpstreamCall()
  pool.dispatch({ method: 'GET', path: '/' }, call)
  return { call, disconnected: once(pool, 'disconnect') }
}

const callOf = async (handle: Handle) => (await startCall(handle)).call

/** Returns a response that a client waits for, and the client's side of it. */
async function openResponse() {
  const arrived = Promise.withResolvers<ServerResponse>()
  const received = request(await serve(arrived.resolve), { method: 'GET' })
  received.catch(() => undefined)
  const response = await arrived.promise
  return { response, received }
}

test('sends a body that arrived before its client was ready', async () => {
  const call = await callOf(response => response.writeHead(201, { 'x-kind': 'thing' }).end('all of it'))
  const { response, received } = await openResponse()
  expect(await call.head).toMatchObject({ statusCode: 201, headers: { 'x-kind': 'thing' } })
  await new Promise(setImmediate)
  await call.sendBody(response)
  expect(await (await received).body.text()).toBe('all of it')
})

test('sends a response without a body', async () => {
  const call = await callOf(response => response.writeHead(204).end())
  const { response, received } = await openResponse()
  await call.head
  response.writeHead(204)
  await call.sendBody(response)
  expect((await received).statusCode).toBe(204)
})

test('sends the head of the final response, not of an interim one', async () => {
  const call = await callOf(response => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.end('done')
  })
  expect(await call.head).toMatchObject({ statusCode: 200 })
})

test('sends a large body, and waits for its client meanwhile', async () => {
  let sent = 0
  const call = await callOf(response => {
    const sendMore = () => {
      while (sent < 64 && !response.writableNeedDrain) {
        sent++
        response.write(mebibyte)
      }
      if (sent === 64) response.end()
    }
    response.on('drain', sendMore)
    sendMore()
  })
  const { response, received } = await openResponse()
  await call.head
  const done = call.sendBody(response)
  const { body } = await received
  // The client does not read yet, so only the buffers of the sockets fill.
  await waitUntilStill(() => sent)
  expect(sent).toBeLessThan(48)
  expect((await text(body)).length).toBe(64 * mebibyte.length)
  await done
})

test('the head rejects if the connection breaks before it', async () => {
  const call = await callOf(response => response.destroy())
  await expect(call.head).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
})

test.each(['before', 'while'])('rejects if the body breaks %s it is sent', async when => {
  const breaking = Promise.withResolvers<void>()
  const { call, disconnected } = await startCall(response => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    void breaking.promise.then(() => response.destroy())
  })
  const { response } = await openResponse()
  await call.head
  if (when === 'before') {
    breaking.resolve()
    await disconnected
  }
  const done = call.sendBody(response)
  breaking.resolve()
  await expect(done).rejects.toThrow()
})

test('resolves without the body if the response has ended already', async () => {
  const call = await callOf(response => response.end('late'))
  const { response } = await openResponse()
  await call.head
  response.end('answered')
  await expect(call.sendBody(response)).resolves.toBeUndefined()
})

test('an aborted call closes the connection to the service', async () => {
  const closed = Promise.withResolvers<void>()
  const call = await callOf(response => {
    response.once('close', closed.resolve)
    response.write('first')
  })
  await call.head
  call.abort(new Error('the client left'))
  await closed.promise
  const { response } = await openResponse()
  await expect(call.sendBody(response)).rejects.toThrow('the client left')
})

test('a call that is aborted before its connection is made is not sent', async () => {
  let requests = 0
  const call = await callOf(() => requests++)
  call.abort(new Error('the client left'))
  await expect(call.head).rejects.toThrow('the client left')
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(requests).toBe(0)
})
