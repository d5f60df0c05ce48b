import { ApiError, type Caller, type Operation } from '@cobro/contracts'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { callOf } from '../calls/open-call.ts'
import { addressBucket } from '../network/address-group.ts'
import { type RateLimits, rateLimitHeaders } from './rate-limits.ts'

/** CommandResult by orchestrators and monitors, which nobody may keep from it. */
const unlimited = new Set(['getHealth'])
/** Where secrets that people choose or are sent could be guessed. */
const logins = new Set(['login', 'refreshToken', 'setPassword'])

export interface CallRateLimiter {
  /** Finds out who calls an operation, and counts the call. */
  identified(
    request: Request,
    operation: Pick<Operation, 'id' | 'callers'>,
    identify: () => Promise<Caller>,
  ): Promise<Caller>
  /** Counts what asks for leave to call from a browser. */
  preflight: RequestHandler
  /** Counts what led to no operation, such as a search for paths that we do not have. */
  lost: ErrorRequestHandler
}

/**
 * Counts calls: a key's and a user's against their own limit, those without a credential against their address's, and bad
 * credentials against another one of the address. A good credential is never refused for what others guess beside it.
 */
export function rateLimitCalls(limits: RateLimits): CallRateLimiter {
  const counted = new WeakSet<Request>()
  const bucketOf = (request: Request) => addressBucket(callOf(request).ip)
  const count = async (request: Request, response: Response, ...[kind, who]: Parameters<RateLimits['take']>) => {
    counted.add(request)
    response.set(rateLimitHeaders(await limits.take(kind, who)))
  }
  const countStranger = async (request: Request, response: Response) => {
    await count(request, response, 'address', bucketOf(request))
  }

  const identified: CallRateLimiter['identified'] = async (request, operation, identify) => {
    if (unlimited.has(operation.id)) return identify()
    const response = request.res as Response
    if (logins.has(operation.id)) {
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
    else await countStranger(request, response)
    return caller
  }

  const preflight: RequestHandler = async (request, response, next) => {
    if (request.method === 'OPTIONS') await countStranger(request, response)
    next()
  }

  const lost: ErrorRequestHandler = async (error: unknown, request, response, next) => {
    const ours = !(error instanceof ApiError) || error.status >= 500
    if (!ours && !counted.has(request)) await countStranger(request, response)
    next(error)
  }

  return { identified, preflight, lost }
}
