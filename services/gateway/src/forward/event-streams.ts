import type { ServerResponse } from 'node:http'

/** The event streams that clients have open through this gateway, which a shutdown must end. */
export interface EventStreams {
  add(response: ServerResponse): void
  /** Ends all open streams and any added later. Clients reconnect to another replica. */
  end(): void
}

export function openEventStreams(): EventStreams {
  const open = new Set<ServerResponse>()
  let ended = false
  return {
    add: response => {
      open.add(response)
      response.once('close', () => open.delete(response))
      if (ended) response.end()
    },
    end: () => {
      ended = true
      for (const response of open) response.end()
    },
  }
}
