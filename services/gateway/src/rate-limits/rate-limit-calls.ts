import { ApiError, type Caller, type Operation } from '@cobro/contracts'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { callOf } from '../calls/open-call.ts'
import { addressBucket } from '../network/address-group.ts'
import type { ConnectionLimits } from '../network/connection-limits.ts'
import { type RateLimits, rateLimitHeaders } from './rate-limits.ts'

interface CallRateLimiter {
  /** Identifies the caller of an operation and counts the call. */
  identified(request: Request, operation: Pick<Operation, 'limit'>, identify: () => Promise<Caller>): Promise<Caller>
  /** Counts CORS preflight requests. */
  preflight: RequestHandler
  /** Counts health checks. They are always answered, but not many thousands on one connection. */
  health: RequestHandler
  /** Counts requests that matched no operation, such as scans for unknown paths. */
  unmatched: ErrorRequestHandler
}

/**
 * Counts calls of API keys and users by key or user, those without a credential by address. Invalid
 * credentials have a separate limit by address, so they do not affect a valid one from the same address.
 */
export function rateLimitCalls(limits: RateLimits, connections: ConnectionLimits): CallRateLimiter {
  const counted = new WeakSet<Request>()
  const bucketOf = (request: Request) => addressBucket(callOf(request).ip)
  const count = async (request: Request, response: Response, ...[kind, who]: Parameters<RateLimits['consume']>) => {
    counted.add(request)
    const allowance = await limits.consume(kind, who).catch(async (rejected: unknown) => {
      const byAddress = kind !== 'key' && kind !== 'user'
      if (byAddress && (await connections.countRejected(callOf(request).ip, request.socket)))
        setUnlessAnswered(response, { Connection: 'close' })
      throw rejected
    })
    setUnlessAnswered(response, rateLimitHeaders(allowance))
  }
  const countByAddress = async (request: Request, response: Response) => {
    await count(request, response, 'address', bucketOf(request))
  }

  const identified: CallRateLimiter['identified'] = async (request, operation, identify) => {
    if (operation.limit === 'none') return identify()
    const response = request.res as Response
    if (operation.limit === 'login') {
      await count(request, response, 'login', bucketOf(request))
      return identify()
    }
    const caller = await identify().catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code === 'unauthorized') {
        await count(request, response, 'guess', bucketOf(request))
      }
      throw error
    })
    if ('id' in caller) await count(request, response, caller.kind === 'key' ? 'key' : 'user', caller.id)
    else await countByAddress(request, response)
    return caller
  }

  const preflight: RequestHandler = async (request, response, next) => {
    if (request.method === 'OPTIONS') await countByAddress(request, response)
    next()
  }

  const health: RequestHandler = async (request, response, next) => {
    if (await connections.countHealthCheck(callOf(request).ip, request.socket))
      setUnlessAnswered(response, { Connection: 'close' })
    next()
  }

  const unmatched: ErrorRequestHandler = async (error: unknown, request, response, next) => {
    const serverError = !(error instanceof ApiError) || error.status >= 500
    if (!serverError && !counted.has(request)) await countByAddress(request, response)
    next(error)
  }

  return { identified, preflight, health, unmatched }
}

/** Sets headers, unless the request was answered while it was counted: a malformed chunk of its body may come at any time. */
function setUnlessAnswered(response: Response, headers: Record<string, string>): void {
  if (!response.headersSent) response.set(headers)
}
