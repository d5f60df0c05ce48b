import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
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
    status_code: response.headersSent ? response.statusCode : 499,
    duration_ms: Math.round(performance.now() - startedAt),
    outcome: response.writableFinished ? undefined : 'client_closed',
  }
}
