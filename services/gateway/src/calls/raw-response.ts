import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '@cobro/contracts'

/** How long a client may take to read a response before the connection is destroyed. */
const lingerMs = 1_000

/** Writes an error response to a socket and closes it. The caller handles the socket's errors. */
export function sendRawError(socket: Duplex, error: ApiError, headers: readonly (readonly [string, string])[]): void {
  const body = JSON.stringify(error.body)
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
