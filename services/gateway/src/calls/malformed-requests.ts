import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@cobro/contracts'
import type { ConnectionLimits } from '../network/connection-limits.ts'
import { type CallDeps, type CallInput, openCall } from './open-call.ts'
import { sendError } from './recorded-response.ts'

/** A request whose head Node has parsed, and its response. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

export interface ErrorResponseDeps extends CallDeps {
  headers: readonly (readonly [string, string])[]
  connections: ConnectionLimits
}

/** How long a client may take to read a response before the connection is destroyed. */
const lingerMs = 1_000

type ParserError = Error & { code?: string; rawPacket?: Buffer }

const errorsByCode: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError('header_too_large', 'expected at most 16 KiB of headers'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('payload_too_large', 'expected no chunk extensions'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'the request did not arrive in time'),
}

const malformed = new ApiError('invalid_request', 'the request cannot be read')

/**
 * Returns the `clientError` handler: an unparsable request gets an id, an audit record and an error
 * response. `lastOn` returns a connection's newest exchange; the bytes are of its body or of the next request.
 */
export function malformedRequestHandler(deps: ErrorResponseDeps, lastOn: (socket: Duplex) => Exchange | undefined) {
  const handled = new WeakSet<Duplex>()
  return (error: ParserError, socket: Duplex): void => {
    if (handled.has(socket)) return
    handled.add(socket)
    const rejection = errorsByCode[error.code ?? ''] ?? malformed
    const last = lastOn(socket)
    const respond = () => void recordAndSendError(deps, inputOf(error, socket, last), rejection)
    if (last && !last.request.complete) rejectUpload(last, socket, rejection)
    else if (!holdsCall(error, socket)) socket.destroy()
    else if (last && !last.response.writableFinished) last.response.once('close', respond)
    else respond()
  }
}

/** Records a call that has no response object and writes the error to its socket. */
export async function recordAndSendError(
  deps: ErrorResponseDeps,
  input: CallInput,
  rejection: ApiError,
): Promise<void> {
  const { socket } = input
  // Attached before anything else: Node removes its listeners from a socket that it hands over, and an unhandled error
  // would end the process.
  socket.on('error', () => socket.destroy())
  const call = openCall(deps, input)
  call.error_code = rejection.code
  await deps.connections.countRejected(call.ip, socket)
  await call.end(rejection.status).catch(() => call.end(rejection.status, { durable: false }))
  sendRawError(socket, rejection, [['X-Request-Id', call.request_id], ...deps.headers])
}

/** Writes an error response to a socket and closes it. The caller handles the socket's errors. */
function sendRawError(socket: Duplex, error: ApiError, headers: readonly (readonly [string, string])[]): void {
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

/** Answers the request whose body is unparsable, unless its response has started. */
function rejectUpload({ response }: Exchange, socket: Duplex, rejection: ApiError): void {
  if (response.headersSent || !socket.writable) {
    socket.destroy()
    return
  }
  response.setHeader('Connection', 'close')
  sendError(response, rejection)
}

/** Returns false for a connection that was never used or is gone: it has no request to answer. */
function holdsCall(error: ParserError, socket: Duplex): boolean {
  const { bytesRead } = socket as Duplex & { bytesRead?: number }
  return socket.writable && bytesRead !== 0 && error.code !== 'ECONNRESET'
}

/** Reads method and target from a connection's first line; later bytes may be another request's. */
function inputOf(error: ParserError, socket: Duplex, last: Exchange | undefined): CallInput {
  const head = last ? '' : String(error.rawPacket?.subarray(0, 2_048) ?? '')
  const [, method = '-', target = '-'] = /^([A-Z]{1,20}) ([!-~]+) HTTP\//.exec(head) ?? []
  return { method, target, headers: {}, socket }
}
