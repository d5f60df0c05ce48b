import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** The event streams that clients have open through this gateway, which a shutdown must end. */
export interface EventStreams {
  add(response: ServerResponse, body: Readable): void
  /** Ends all open streams and any added later. Clients reconnect to another replica. */
  end(): void
}

export function openEventStreams(): EventStreams {
  const open = new Map<ServerResponse, Readable>()
  let ended = false
  return {
    add: (response, body) => {
      open.set(response, body)
      response.once('close', () => open.delete(response))
      if (ended) response.end()
    },
    end: () => {
      ended = true
      for (const [response, body] of open) {
        body.unpipe(response)
        response.end()
      }
    },
  }
}
