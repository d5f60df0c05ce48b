import { connect, createServer, type Socket } from 'node:net'

/** A door before a server, which a test can shut as if the server had gone away, and open again. */
export interface TcpGate {
  /** The server's address with the gate's in its place. */
  url: string
  /** Cuts every connection and takes no new one. */
  shut(): Promise<void>
  open(): Promise<void>
  close(): Promise<void>
}

/** Opens a gate before the server of that address, on a port of its own that stays the same. */
export async function tcpGate(targetUrl: string): Promise<TcpGate> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  const server = createServer(inner => {
    const outer = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  const listenOn = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  await listenOn(0)
  const { port } = server.address() as { port: number }
  const url = new URL(targetUrl)
  url.host = `127.0.0.1:${port}`
  const shut = async () => {
    if (!server.listening) return
    const closed = new Promise(resolve => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: url.href, shut, open: () => listenOn(port), close: shut }
}
