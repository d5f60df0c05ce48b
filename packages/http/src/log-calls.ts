import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isId } from '@cobro/contracts'
import { type Logger, withCallContext } from '@cobro/runtime'
import type { Request, RequestHandler, Response } from 'express'
import { internalHeaders } from './internal-headers.ts'

type RunInContext = <T>(work: () => T) => T

/** Where a response has the async context of its call, which holds the ids. A weak map would keep it alive for longer (ADR 87). */
const contextKey = Symbol('context')
type Answer = ServerResponse & { [contextKey]?: RunInContext }

/**
 * Logs one line for each call when it ends, also if the client has disconnected. The line has the
 * route instead of the path, which may contain secrets.
 */
export function logCalls(logger: Pick<Logger, 'info'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now()
    // Not yet authenticated, but good enough to find the lines of rejected calls.
    const unverifiedId = request.headers[internalHeaders.requestId]
    withCallContext({ request_id: isId('req', unverifiedId) ? unverifiedId : null }, () => {
      logInContext(response)
      response.once('close', () =>
        (response as Answer)[contextKey]?.(() => logger.info(lineOf(request, response, startedAt), 'call')),
      )
      next()
    })
  }
}

/** Logs the line of a call in the current context, with the ids that the call has by then. */
export function logInContext(response: Answer): void {
  response[contextKey] = AsyncLocalStorage.snapshot()
}

function lineOf(request: Request, response: Response, startedAt: number) {
  return {
    method: request.method,
    route: request.route?.path as string | undefined,
    duration_ms: Math.round(performance.now() - startedAt),
    ...endOf(request, response),
  }
}

/** What Node answers by itself to slow or malformed requests, unless a response has begun. */
const timedOut = { status_code: 408, outcome: 'timed_out' }
const unreadable = { status_code: 400, outcome: 'unreadable' }
const clientClosed = { status_code: 499, outcome: 'client_closed' }
const serverClosed = { status_code: 500, outcome: 'server_closed' }
/** The errors of a connection that the client has dropped. */
const droppedCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** Returns the status of a call and, if its response was not sent completely, why. */
function endOf(request: Request, response: Response): { status_code: number; outcome?: string } {
  const { statusCode: status_code } = response
  if (response.writableFinished) return { status_code }
  const end = abortReason(request.socket)
  return response.headersSent ? { ...end, status_code } : end
}

/** Returns who ended a connection: clients end or reset it; any other end is the server's doing. */
function abortReason({ readableEnded, errored }: Socket) {
  const { code = '' } = (errored ?? {}) as NodeJS.ErrnoException
  if (readableEnded || droppedCodes.has(code)) return clientClosed
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return timedOut
  return code.startsWith('HPE_') ? unreadable : serverClosed
}
