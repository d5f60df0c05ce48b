import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { OnStop } from '@cobro/runtime'

/** A server that listens, and how to stop it. */
export interface Listening {
  server: Server
  port: number
  /** Accepts calls for this long while the service reports that it is not ready, so that load balancers notice. */
  drain(forMs: number): Promise<void>
  /** Graceful shutdown: accepts no new connections, lets calls that are in flight finish, then closes. */
  close(): Promise<void>
}

/**
 * Connection settings of every server. Responses tell clients to close a connection that is idle for 4 s: sooner than a stopping
 * service ends its drain, so that none sends a call on a connection that is about to close. Load balancers do not read that; for
 * them an idle connection stays open for 65 s.
 */
export const serverSettings = {
  keepAliveTimeout: 4_000,
  keepAliveTimeoutBuffer: 61_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
} satisfies ServerOptions

const closeIdleIntervalMs = 50
const arrivingMs = 250
/** Servers that are shutting down. */
const ending = new WeakSet<NetServer>()

export interface ServerSettings {
  HOST: string
  PORT: number
  /** How long a stopping server still accepts calls. */
  DRAIN_MS: number
}

/**
 * Listens until the service stops, and returns the port. A stop drains the server, then calls `endStreams`, then closes the
 * server, which waits for every open response and so for every open event stream.
 */
export async function listenUntilStop(
  handler: Server | RequestListener,
  { HOST, PORT, DRAIN_MS }: ServerSettings,
  onStop: OnStop,
  endStreams?: () => unknown,
): Promise<number> {
  const listening = await listen(handler, HOST, PORT)
  onStop(listening.close)
  if (endStreams) onStop(endStreams)
  onStop(() => listening.drain(DRAIN_MS))
  return listening.port
}

/** Listens on host and port (0: any free one). Creates the server for a handler. */
export async function listen(handler: Server | RequestListener, host: string, port: number): Promise<Listening> {
  const server = handler instanceof Server ? handler : createServer(serverSettings, handler)
  const closeIdle = watchConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const drain = async (forMs: number) => {
    closeAfterResponse(server)
    await delay(forMs)
  }
  return { server, port: (server.address() as AddressInfo).port, drain, close: () => closeServer(server, closeIdle) }
}

/** Whether the server of a request is shutting down. */
export function isEnding({ socket }: IncomingMessage): boolean {
  return ending.has((socket as Socket & { server: NetServer }).server)
}

/** The events for requests. Those with `Expect` have their own, which a server emits only if it has listeners. */
const callEvents = ['request', 'checkContinue', 'checkExpectation'] as const
const eventsOf = (server: Server) => callEvents.filter(name => name === 'request' || server.listenerCount(name) > 0)

/** Sends `Connection: close` with every response from now on, so that clients use another replica. */
function closeAfterResponse(server: Server): void {
  if (ending.has(server)) return
  ending.add(server)
  for (const name of eventsOf(server)) {
    server.prependListener(name, (_request, response: ServerResponse) => response.setHeader('Connection', 'close'))
  }
}

/**
 * Returns a function that closes connections without a call in flight. Node's `closeIdleConnections` skips connections that never
 * had a call (nodejs/node#63452), which clients open in advance. Can go once the pinned Node has the fix.
 */
function watchConnections(server: Server): () => void {
  const open = new Set<Socket>()
  const busy = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  for (const name of eventsOf(server)) {
    server.on(name, ({ socket }: IncomingMessage, response: ServerResponse) => {
      busy.add(socket)
      response.once('close', () => busy.delete(socket))
    })
  }
  return () => {
    for (const socket of open) if (!busy.has(socket)) socket.destroy()
  }
}

/**
 * A request may be arriving on a connection that looks idle, and closing it would leave its client without a response. So idle
 * connections are closed a moment later, and again until none is left, since connections become idle after their responses.
 */
async function closeServer(server: Server, closeIdle: () => void): Promise<void> {
  closeAfterResponse(server)
  // The `close` of an HTTP server cuts idle connections at once; that of a plain one only stops listening.
  const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  await Promise.race([closed, delay(arrivingMs)])
  // An immediate runs after waiting input is read, so requests that arrived while the process was held up are seen.
  const timer = setInterval(() => setImmediate(closeIdle), closeIdleIntervalMs)
  await closed
  clearInterval(timer)
}
