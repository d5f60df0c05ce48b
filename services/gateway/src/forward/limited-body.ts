import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { ApiError } from '@cobro/contracts'
import { maxBodyBytes } from '@cobro/http'

/**
 * The body of a call as it goes on to a service, counted on its way; undefined where there is none. A length that is too
 * large is refused before a byte of it is read. What ends the stream ends this copy alone, never the client's connection.
 */
export function limitedBody(request: IncomingMessage): { stream: Readable; length: number | undefined } | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return undefined
  if (Number(length) > maxBodyBytes) throw tooLarge()
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBodyBytes) done(tooLarge())
      else done(null, chunk)
    },
  })
  // What nobody reads any more is let through to nowhere: the connection is to be good for the next call.
  stream.once('close', () => request.resume())
  return { stream: request.pipe(stream), length: length === undefined ? undefined : Number(length) }
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', `expected at most ${maxBodyBytes / 1024} KiB`)
}
