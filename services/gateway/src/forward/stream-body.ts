import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * Streams a body into the response. Rejects if either fails or has failed before this call.
 * Does not use `stream.pipeline`, which creates an AbortController for each call.
 */
export function streamBody(body: Readable, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    // The service's connection can break before the body is read. Piping such a body would never end the response.
    if (body.errored) return reject(body.errored)
    body.once('error', reject)
    response.once('error', reject)
    response.once('close', resolve)
    // If the client is already gone, the rest of the body is not awaited.
    if (response.closed || response.writableEnded) resolve()
    else body.pipe(response)
  })
}
