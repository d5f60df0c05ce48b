import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Operation, operations } from '@cobro/contracts'
import { limitedBody } from './limited-body.ts'

const operationOf = (id: string): Operation => operations.find(operation => operation.id === id)!

/** Returns a request with a body, which is chunked or has a Content-Length. */
function requestOf(body: string, isChunked: boolean): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.headers = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) }
  request.push(body)
  request.push(null)
  return request
}

describe.each([
  ['payHostedSession', 16],
  ['payHostedLink', 16],
  ['createCheckoutSession', 256],
])('the body of %s', (id, kib) => {
  const read = async (bytes: number, isChunked: boolean) => {
    const body = limitedBody(requestOf('x'.repeat(bytes), isChunked), operationOf(id))
    return body && (await text(body.stream)).length
  }

  test.each([true, false])(`of ${id} has at most ${kib} KiB (chunked: %p)`, async isChunked => {
    expect(await read(kib * 1024, isChunked)).toBe(kib * 1024)
    await expect(read(kib * 1024 + 1, isChunked)).rejects.toMatchObject({
      status: 413,
      message: `payload_too_large: expected at most ${kib} KiB`,
    })
  })
})

test('a body that becomes too large while nothing reads it yet does not end the process', async () => {
  const body = limitedBody(requestOf('x'.repeat(17 * 1024), true), operationOf('payHostedSession'))
  // An error that nothing listens to would fail this test.
  await new Promise(resolve => body?.stream.once('close', resolve))
  expect(body?.stream.errored).toMatchObject({ status: 413 })
})
