import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionEvent } from '@cobro/http'

/** Node's limit of a request head. A head may arrive in any number of chunks. */
const maxHeadBytes = 16 * 1024

const newestBytes = new WeakMap<Socket, Buffer>()

/** Keeps the newest bytes of each connection of a server, for `hasSingleSpaces`. */
export function keepRequestLines(server: Server): void {
  server.on(connectionEvent(server), (socket: Socket) => {
    // Before the parser, which emits the request while it reads its last byte.
    socket.prependListener('data', (chunk: Buffer) => {
      const earlier = newestBytes.get(socket)?.subarray(-maxHeadBytes)
      newestBytes.set(socket, earlier?.length ? Buffer.concat([earlier, chunk]) : chunk)
    })
  })
}

/**
 * Returns whether the method, target and version of a request were separated by one space each.
 * Node's parser drops further ones. To be called once for each request, in the order in which they arrive.
 */
export function hasSingleSpaces({ method, url, httpVersion, socket }: IncomingMessage): boolean {
  const line = `${method} ${url} HTTP/${httpVersion}\r\n`
  const bytes = newestBytes.get(socket)
  const start = bytes?.indexOf(line, 0, 'latin1') ?? -1
  if (!bytes || start < 0) return false
  newestBytes.set(socket, bytes.subarray(start + line.length))
  return true
}
