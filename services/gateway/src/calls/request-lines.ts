import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionEvent } from '@cobro/http'

/** Node's limit of a request head. A head may arrive in any number of chunks. */
const maxHeadBytes = 16 * 1024

/** What a connection received after the line of its newest request. */
interface Received {
  request?: IncomingMessage
  bytes: Buffer
}

const connections = new WeakMap<Socket, Received>()

/** Keeps the newest bytes of each connection of a server, for `hasSingleSpaces`. */
export function keepRequestLines(server: Server): void {
  server.on(connectionEvent(server), (socket: Socket) => {
    const received: Received = { bytes: Buffer.alloc(0) }
    connections.set(socket, received)
    // Before the parser, which emits the request while it reads the end of its head.
    socket.prependListener('data', (chunk: Buffer) => {
      const isBody = received.request?.complete === false
      const earlier = isBody ? 0 : Math.min(received.bytes.length, maxHeadBytes)
      received.bytes = earlier > 0 ? Buffer.concat([received.bytes.subarray(-earlier), chunk]) : chunk
    })
  })
}

/**
 * Returns whether the method, target and version of a request were separated by one space each.
 * Node's parser drops further ones. To be called once for each request, in the order in which they arrive.
 */
export function hasSingleSpaces(request: IncomingMessage): boolean {
  const line = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`
  const received = connections.get(request.socket)
  const start = received?.bytes.indexOf(line, 0, 'latin1') ?? -1
  if (!received || start < 0) return false
  received.request = request
  received.bytes = received.bytes.subarray(start + line.length)
  return true
}
