import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '@cobro/local-stack'
import { waitFor } from './wait-for.ts'

/** A TCP proxy with which tests make the server behind it unreachable or unresponsive. */
export interface TcpProxy {
  /** The server's URL with the host and port of the proxy. */
  url: string
  /** Closes every connection and refuses new ones. */
  shut(): Promise<void>
  /** Keeps and accepts connections but forwards nothing, like a server that hangs. */
  stall(): void
  /** Forwards requests but not the server's responses, on the connections that are open now. */
  holdResponses(): void
  /** Sends bytes to every client as if they came from the server. */
  sendToClients(bytes: Buffer): void
  /** Forwards everything again. */
  open(): Promise<void>
  close(): Promise<void>
}

const defaultPorts: Record<string, number> = { 'amqp:': 5672, 'postgres:': 5432, 'postgresql:': 5432 }

/** Starts a proxy in front of a server. Its port stays the same while it is shut. */
export async function tcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  const clientSockets = new Set<Socket>()
  const serverSockets = new Set<Socket>()
  let stalled = false
  const server = createServer(inner => {
    const outer = connect(Number(target.port) || (defaultPorts[target.protocol] ?? 0), target.hostname)
    clientSockets.add(inner)
    serverSockets.add(outer)
    inner.once('close', () => clientSockets.delete(inner))
    outer.once('close', () => serverSockets.delete(outer))
    joinSockets(inner, outer, sockets)
    if (stalled) for (const socket of [inner, outer]) socket.pause()
  })
  // A fixed port below the ephemeral range: no outgoing connection can take it while the proxy is shut.
  const port = await freePort()
  const url = new URL(targetUrl)
  url.host = `127.0.0.1:${port}`
  const shut = async () => {
    if (!server.listening) return
    const closed = new Promise(resolve => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const stall = () => {
    stalled = true
    for (const socket of sockets) socket.pause()
  }
  const holdResponses = () => {
    for (const socket of serverSockets) socket.pause()
  }
  const sendToClients = (bytes: Buffer) => {
    for (const socket of clientSockets) socket.write(bytes)
  }
  const open = async () => {
    stalled = false
    for (const socket of sockets) socket.resume()
    // A child process that another thread starts keeps the closed port in use until it executes its program.
    if (!server.listening) await waitFor(() => listenOn(server, port), { timeoutMs: 10_000 })
  }
  await open()
  return { url: url.href, shut, stall, holdResponses, sendToClients, open, close: shut }
}

async function listenOn(server: Server, port: number): Promise<true> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return true
}

/** Forwards everything between two sockets, and keeps them in `open` until they close. */
export function joinSockets(inner: Socket, outer: Socket, open: Set<Socket>): void {
  for (const [socket, other] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    open.add(socket)
    socket.pipe(other)
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      open.delete(socket)
      other.destroy()
    })
  }
}
