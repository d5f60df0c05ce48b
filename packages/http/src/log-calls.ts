import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isId } from '@cobro/contracts'
import { inCall, type Logger } from '@cobro/runtime'
import type { Request, RequestHandler, Response } from 'express'
import { internalHeaders } from './internal-headers.ts'

type Within = <T>(work: () => T) => T

/** Where the ids of a call are known, by its answer. */
const contexts = new WeakMap<ServerResponse, Within>()

/**
 * Writes one line for each call once it is over, also where its client left before. It names the route and not the path,
 * which may hold anything. What comes before this middleware has no line.
 */
export function logCalls(logger: Pick<Logger, 'info'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now()
    // Until the caller is known the id is only claimed; that will do to find the lines of calls that were refused.
    const claimed = request.headers[internalHeaders.requestId]
    inCall({ request_id: isId('req', claimed) ? claimed : null }, () => {
      logWithin(response)
      response.once('close', () =>
        contexts.get(response)?.(() => logger.info(lineOf(request, response, startedAt), 'call')),
      )
      next()
    })
  }
}

/** Has the line of a call say the ids of the call in hand, also those that it has yet to learn. */
export function logWithin(response: ServerResponse): void {
  contexts.set(response, AsyncLocalStorage.snapshot())
}

function lineOf(request: Request, response: Response, startedAt: number) {
  return {
    method: request.method,
    route: request.route?.path as string | undefined,
    duration_ms: Math.round(performance.now() - startedAt),
    ...endOf(request, response),
  }
}

/** To what comes too slowly or cannot be read Node gives these answers by itself, unless one has begun. */
const timedOut = { status_code: 408, outcome: 'timed_out' }
const unreadable = { status_code: 400, outcome: 'unreadable' }
const clientClosed = { status_code: 499, outcome: 'client_closed' }
const serverClosed = { status_code: 500, outcome: 'server_closed' }
/** How a connection fails at whose other end nobody is any more. */
const gone = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** What came of a call: where its answer was not sent whole, who broke off. */
function endOf(request: Request, response: Response): { status_code: number; outcome?: string } {
  const { statusCode: status_code } = response
  if (response.writableFinished) return { status_code }
  const end = brokenOff(request.socket)
  return response.headersSent ? { ...end, status_code } : end
}

/** A client who leaves ends his half of the connection, or resets it; any other end is our own doing. */
function brokenOff({ readableEnded, errored }: Socket) {
  const { code = '' } = (errored ?? {}) as NodeJS.ErrnoException
  if (readableEnded || gone.has(code)) return clientClosed
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return timedOut
  return code.startsWith('HPE_') ? unreadable : serverClosed
}
