import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { streamBody } from './stream-body.ts'

let close: () => void

/** Returns a response that a client waits for and does not read. */
async function openResponse(): Promise<ServerResponse> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const call = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).on('error', () => {})
  call.on('response', message => message.pause())
  close = () => {
    call.destroy()
    server.close()
  }
  return new Promise(resolve => {
    server.once('request', (_request, response) => resolve(response))
    call.end()
  })
}

afterEach(() => close())

test('rejects if the body failed before it is streamed', async () => {
  const body = new PassThrough().on('error', () => {})
  body.destroy(new Error('reset'))
  await new Promise(resolve => body.once('close', resolve))
  await expect(streamBody(body, await openResponse())).rejects.toThrow('reset')
})

test('rejects if the body fails while it is streamed', async () => {
  const body = new PassThrough()
  const streamed = streamBody(body, await openResponse())
  body.write('half')
  body.destroy(new Error('reset'))
  await expect(streamed).rejects.toThrow('reset')
})

test('resolves without the body if the response has ended already', async () => {
  const response = await openResponse()
  // More than the client reads, so that the response stays open.
  response.end(Buffer.alloc(16 * 1024 * 1024))
  const body = new PassThrough()
  body.end('late')
  await expect(streamBody(body, response)).resolves.toBeUndefined()
})

test('resolves when the whole body was sent', async () => {
  const body = new PassThrough()
  const streamed = streamBody(body, await openResponse())
  body.end('all')
  await expect(streamed).resolves.toBeUndefined()
})
