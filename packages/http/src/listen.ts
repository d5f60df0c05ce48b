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
  /** Goes on taking calls for so long, while the service says that it is not ready: balancers have that much time to see it. */
  drain(forMs: number): Promise<void>
  /** Takes no new connection, lets the calls in hand and those on their way finish, then closes. */
  close(): Promise<void>
}

/** How every server of ours treats its connections. Idle ones are kept longer than the gateway's pool keeps its own. */
export const serverSettings = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
} satisfies ServerOptions

const cutIdleEveryMs = 50
const onTheWayMs = 250
/** Servers that will stop. */
const ending = new WeakSet<NetServer>()

/** Listens on host and port (0: any free one). */
export function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  return listenWith(createServer(serverSettings, handler), host, port)
}

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
  server: Server | RequestListener,
  { HOST, PORT, DRAIN_MS }: ServerSettings,
  onStop: OnStop,
  endStreams?: () => unknown,
): Promise<number> {
  const listening = await listenWith(
    server instanceof Server ? server : createServer(serverSettings, server),
    HOST,
    PORT,
  )
  onStop(listening.close)
  if (endStreams) onStop(endStreams)
  onStop(() => listening.drain(DRAIN_MS))
  return listening.port
}

/** As `listen`, with a server that was made before. */
export async function listenWith(server: Server, host: string, port: number): Promise<Listening> {
  const cutIdle = watchConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const drain = async (forMs: number) => {
    askToLetGo(server)
    await delay(forMs)
  }
  return { server, port: (server.address() as AddressInfo).port, drain, close: () => closeServer(server, cutIdle) }
}

/** Whether the server that took a call is about to stop. */
export function isEnding({ socket }: IncomingMessage): boolean {
  return ending.has((socket as Socket & { server: NetServer }).server)
}

/** What calls come as. Those that expect something have events of their own, but only where a server already listens to them. */
const callEvents = ['request', 'checkContinue', 'checkExpectation'] as const
const eventsOf = (server: Server) => callEvents.filter(name => name === 'request' || server.listenerCount(name) > 0)

/** From now on each answer asks its caller to let go of the connection, and to use another one for the next call. */
function askToLetGo(server: Server): void {
  if (ending.has(server)) return
  ending.add(server)
  for (const name of eventsOf(server)) {
    server.prependListener(name, (_request, response: ServerResponse) => response.setHeader('Connection', 'close'))
  }
}

/**
 * Gives what cuts the connections that have no call in hand. Node's own `closeIdleConnections` spares those that never had
 * one, and a client may open some ahead of need.
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
 * A call may be on its way over a connection that looks idle: cutting that one would leave its caller not knowing what
 * became of the call. So they are cut a moment later. A connection that had a call in hand becomes idle only after its
 * answer, and would then be kept for as long as any other.
 */
async function closeServer(server: Server, cutIdle: () => void): Promise<void> {
  askToLetGo(server)
  // The `close` of an HTTP server cuts idle connections at once; that of a plain one only stops listening.
  const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  await Promise.race([closed, delay(onTheWayMs)])
  const timer = setInterval(cutIdle, cutIdleEveryMs)
  await closed
  clearInterval(timer)
}
