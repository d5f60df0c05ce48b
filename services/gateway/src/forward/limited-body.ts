import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { ApiError, maxBodyKib, type Operation } from '@cobro/contracts'

/**
 * Returns a copy of the body that fails beyond the operation's limit, or undefined without a body. Rejects
 * a larger Content-Length before reading. Destroying the copy, which the caller must do at the end, reads the rest of the
 * body and leaves the client's connection open.
 */
export function limitedBody(
  request: IncomingMessage,
  operation: Operation,
): { stream: Readable; length: number | undefined } | undefined {
  const maxKib = maxBodyKib(operation)
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return undefined
  if (Number(length) > maxKib * 1024) throw tooLarge(maxKib)
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxKib * 1024) done(tooLarge(maxKib))
      else done(null, chunk)
    },
  })
  // An error that comes before the body is sent, or after, would end the process. While it is sent, undici handles the error.
  stream.on('error', () => undefined)
  request.pipe(stream)
  // Drains what was not read, so that the connection can serve the next request. After the listener of `pipe`, which pauses.
  stream.once('close', () => request.resume())
  return { stream, length: length === undefined ? undefined : Number(length) }
}

function tooLarge(maxKib: number): ApiError {
  return new ApiError('payload_too_large', `expected at most ${maxKib} KiB`)
}
