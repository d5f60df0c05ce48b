import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens, and how to stop it. */
export interface Listening {
  server: Server
  port: number
  /** Takes no new connection, lets the calls in hand finish, then closes. */
  close(): Promise<void>
}

const keepAliveMs = 65_000

/** Listens on host and port (0: any free one). Idle connections are kept longer than the gateway's pool keeps its own. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  const server = createServer(
    { keepAliveTimeout: keepAliveMs, headersTimeout: 10_000, requestTimeout: 30_000 },
    handler,
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}
