import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger, OnStop } from '@cobro/runtime'
import { connectionEvent, createHttpServer, reloadCertificate, type TlsSettings } from './tls-server.ts'

/** A server that listens, and how to stop it. */
export interface Listening {
  server: Server
  port: number
  /** Reports unready but accepts calls for this long, so that load balancers notice. */
  drain(forMs: number): Promise<void>
  /** Shuts down gracefully: accepts no connections, lets calls in flight finish, then closes. Cuts off those that take too long. */
  close(patienceMs?: number): Promise<void>
}

/**
 * Connection settings of every server. Responses ask clients to close a connection idle for 4 s,
 * so with a longer drain no client calls on a closing connection. Load balancers do not read that: 65 s for them.
 */
export const serverSettings = {
  keepAliveTimeout: 4_000,
  keepAliveTimeoutBuffer: 61_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
} satisfies ServerOptions

const closeIdleIntervalMs = 50
const arrivingMs = 250
/** As long as a payment waits for its outcome. Less than the stop may take: what comes after the server needs time too. */
const maxPatienceMs = 25_000
/** Servers that are shutting down. */
const ending = new WeakSet<NetServer>()

export interface ServerSettings extends TlsSettings {
  HOST: string
  PORT: number
  /** How long a stopping server still accepts calls. */
  DRAIN_MS: number
}

/**
 * Listens until the service stops, and returns the port. Stopping drains the server, then calls
 * `endStreams`, then closes the server, which waits for every open response and so for every open event stream.
 */
export async function listenUntilStop(
  handler: Server | RequestListener,
  settings: ServerSettings,
  onStop: OnStop,
  { logger, endStreams }: { logger: Logger; endStreams?: (() => unknown) | undefined },
): Promise<number> {
  const { HOST, PORT, DRAIN_MS } = settings
  const listening = await listen(handler, HOST, PORT, settings)
  onStop(() => listening.close())
  onStop(reloadCertificate(listening.server, settings, logger).stop)
  if (endStreams) onStop(endStreams)
  onStop(() => listening.drain(DRAIN_MS))
  return listening.port
}

/** Listens on host and port (0: any free one). Creates the server for a handler, with `tls` if given. */
export async function listen(
  handler: Server | RequestListener,
  host: string,
  port: number,
  tls: TlsSettings = {},
): Promise<Listening> {
  const server = typeof handler === 'function' ? createHttpServer(tls, serverSettings).on('request', handler) : handler
  const connections = watchConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const drain = async (forMs: number) => {
    closeAfterResponse(server, connections)
    await delay(forMs)
  }
  return {
    server,
    port: (server.address() as AddressInfo).port,
    drain,
    close: patienceMs => closeServer(server, connections, patienceMs),
  }
}

/** Returns whether the server of a request is shutting down. */
export function isEnding({ socket }: IncomingMessage): boolean {
  return ending.has((socket as Socket & { server: NetServer }).server)
}

/** The request events. A server emits those for `Expect` only if it has listeners for them. */
const callEvents = ['request', 'checkContinue', 'checkExpectation'] as const
const eventsOf = (server: Server) => callEvents.filter(name => name === 'request' || server.listenerCount(name) > 0)

/** The connections of a server. */
interface Connections {
  /** The responses of the calls in flight. */
  inFlight: () => Iterable<ServerResponse>
  /** Closes connections without a call in flight. */
  closeIdle: () => void
}

/** Sends `Connection: close` with all further responses, so that clients use another replica. */
function closeAfterResponse(server: Server, { inFlight }: Connections): void {
  if (ending.has(server)) return
  ending.add(server)
  for (const response of inFlight()) if (!response.headersSent) response.setHeader('Connection', 'close')
  for (const name of eventsOf(server)) {
    server.prependListener(name, (_request, response: ServerResponse) => response.setHeader('Connection', 'close'))
  }
}

/**
 * Watches connections and calls in flight. `closeIdle` can go once Node fixes nodejs/node#63452:
 * its `closeIdleConnections` skips connections that never had a call, which clients open in advance.
 */
function watchConnections(server: Server): Connections {
  const open = new Set<Socket>()
  const inFlight = new Map<Socket, ServerResponse>()
  server.on(connectionEvent(server), (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  for (const name of eventsOf(server)) {
    server.on(name, ({ socket }: IncomingMessage, response: ServerResponse) => {
      inFlight.set(socket, response)
      response.once('close', () => inFlight.get(socket) === response && inFlight.delete(socket))
    })
  }
  return {
    inFlight: () => inFlight.values(),
    closeIdle: () => {
      for (const socket of open) if (!inFlight.has(socket)) socket.destroy()
    },
  }
}

/**
 * Closes idle connections after a moment, since a request may be arriving on one that looks idle
 * and would get no response. Repeats this until none is left, since connections become idle after their responses.
 */
async function closeServer(server: Server, connections: Connections, patienceMs = maxPatienceMs): Promise<void> {
  closeAfterResponse(server, connections)
  // The `close` of an HTTP server cuts idle connections at once; that of a plain one only stops listening.
  const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  await Promise.race([closed, delay(arrivingMs)])
  // An immediate runs after waiting input is read, so requests that arrived while the process was held up are seen.
  const timer = setInterval(() => setImmediate(connections.closeIdle), closeIdleIntervalMs)
  const impatient = setTimeout(() => server.closeAllConnections(), patienceMs)
  await closed
  clearTimeout(impatient)
  clearInterval(timer)
}
