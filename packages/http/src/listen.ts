import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens, and how to stop it. */
export interface Listening {
  server: Server
  port: number
  /** Takes no new connection, lets the calls in hand finish, then closes. */
  close(): Promise<void>
}

/** How every server of ours treats its connections. Idle ones are kept longer than the gateway's pool keeps its own. */
export const serverSettings = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
} satisfies ServerOptions

const closeIdleEveryMs = 50

/** Listens on host and port (0: any free one). */
export function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  return listenWith(createServer(serverSettings, handler), host, port)
}

/** As `listen`, with a server that was made before. */
export async function listenWith(server: Server, host: string, port: number): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return { server, port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

/** A connection that had a call in hand becomes idle only after its answer, and would then be kept for as long as any other. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve))
  const timer = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs)
  await closed
  clearInterval(timer)
}
