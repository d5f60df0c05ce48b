import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { ApiError } from '@cobro/contracts'
import { maxBodyBytes } from '@cobro/http'

/**
 * Returns a copy of the body that fails beyond the size limit, or undefined without a body. Rejects
 * a larger Content-Length before reading. Destroying the copy leaves the client's connection open.
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
  // Drains what was not read, so that the connection can serve the next request.
  stream.once('close', () => request.resume())
  return { stream: request.pipe(stream), length: length === undefined ? undefined : Number(length) }
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', `expected at most ${maxBodyBytes / 1024} KiB`)
}
