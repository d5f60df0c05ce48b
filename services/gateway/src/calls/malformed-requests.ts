import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@cobro/contracts'
import { type CallDeps, type CallFacts, openCall } from './open-call.ts'
import { sendRawError } from './raw-response.ts'
import { sendError } from './recorded-response.ts'

/** A request that Node could read at least the head of, and its answer. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

export interface RawDeps extends CallDeps {
  headers: readonly (readonly [string, string])[]
}

type ReadFault = Error & { code?: string; rawPacket?: Buffer }

const refusals: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError('header_too_large', 'expected at most 16 KiB of headers'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('payload_too_large', 'expected no chunk extensions'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'the request did not come in time'),
}

const unreadable = new ApiError('invalid_request', 'the request cannot be read')

/**
 * Makes the answer to what Node's parser gives up on, with a request id and a record as for any other call. `lastOn` is the
 * newest exchange of a connection: what follows its head may be the rest of its body, or a call of its own.
 */
export function malformedRequestHandler(deps: RawDeps, lastOn: (socket: Duplex) => Exchange | undefined) {
  const givenUp = new WeakSet<Duplex>()
  return (error: ReadFault, socket: Duplex): void => {
    if (givenUp.has(socket)) return
    givenUp.add(socket)
    const refusal = refusals[error.code ?? ''] ?? unreadable
    const last = lastOn(socket)
    const refuse = () => void sendBareError(deps, factsOf(error, socket, last), refusal)
    if (last && !last.request.complete) refuseUpload(last, socket, refusal)
    else if (!holdsCall(error, socket)) socket.destroy()
    else if (last && !last.response.writableFinished) last.response.once('close', refuse)
    else refuse()
  }
}

/** Puts a call on record that there is no response object for, and answers it on its socket. */
export async function sendBareError(deps: RawDeps, facts: CallFacts, refusal: ApiError): Promise<void> {
  const { socket } = facts
  // From the start: a socket that Node has handed over has no listener, and an error that nobody hears ends the process.
  socket.on('error', () => socket.destroy())
  const call = openCall(deps, facts)
  await call.end(refusal.status).catch(() => call.end(refusal.status, { durable: false }))
  sendRawError(socket, refusal, [['X-Request-Id', call.request_id], ...deps.headers])
}

/** The body of a call that is in hand cannot be read: it is this call that is answered, unless its answer is on its way. */
function refuseUpload({ response }: Exchange, socket: Duplex, refusal: ApiError): void {
  if (response.headersSent || !socket.writable) {
    socket.destroy()
    return
  }
  response.setHeader('Connection', 'close')
  sendError(response, refusal)
}

/** A connection that was opened and never used, or that is gone, holds no call. */
function holdsCall(error: ReadFault, socket: Duplex): boolean {
  const { bytesRead } = socket as Duplex & { bytesRead?: number }
  return socket.writable && bytesRead !== 0 && error.code !== 'ECONNRESET'
}

/** What the first line tells, where it can be known to be this call's: of a later call on a connection it cannot. */
function factsOf(error: ReadFault, socket: Duplex, last: Exchange | undefined): CallFacts {
  const head = last ? '' : String(error.rawPacket?.subarray(0, 2_048) ?? '')
  const [, method = '-', target = '-'] = /^([A-Z]{1,20}) ([!-~]+) HTTP\//.exec(head) ?? []
  return { method, target, headers: {}, socket }
}
