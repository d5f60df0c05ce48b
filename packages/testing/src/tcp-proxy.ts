import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '@cobro/local-stack'

/** A door before a server, which a test can shut as if the server had gone away, and open again. */
export interface TcpProxy {
  /** The server's address with the gate's in its place. */
  url: string
  /** Cuts every connection and takes no new one. */
  shut(): Promise<void>
  /** Lets connections be made and stand, and nothing through, as a server does that hangs. */
  stall(): void
  /** Lets everything through to the server and none of its answers back, on the connections that there are. */
  holdResponses(): void
  /** Undoes any of these. */
  open(): Promise<void>
  close(): Promise<void>
}

const defaultPorts: Record<string, number> = { 'amqp:': 5672, 'postgres:': 5432, 'postgresql:': 5432 }

/** Opens a gate before the server of that address, on a port of its own that stays the same. */
export async function tcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  const answering = new Set<Socket>()
  let stalled = false
  const server = createServer(inner => {
    const outer = connect(Number(target.port) || (defaultPorts[target.protocol] ?? 0), target.hostname)
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket)
      if (socket === outer) answering.add(socket)
      socket.pipe(other)
      if (stalled) socket.pause()
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        answering.delete(socket)
        other.destroy()
      })
    }
  })
  // While the gate is shut nobody else is given its port, which a port of the system's choice could not promise.
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
    for (const socket of answering) socket.pause()
  }
  const open = async () => {
    stalled = false
    for (const socket of sockets) socket.resume()
    if (!server.listening) await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  }
  await open()
  return { url: url.href, shut, stall, holdResponses, open, close: shut }
}
