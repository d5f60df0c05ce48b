import { ApiError, type Caller, type Operation } from '@cobro/contracts'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { callOf } from '../calls/open-call.ts'
import { addressBucket } from './address-group.ts'
import { guessGuard } from './guess-guard.ts'
import { type Allowance, type RateLimits, rateLimitHeaders } from './rate-limits.ts'

/** Asked by orchestrators and monitors, which nobody may keep from it. */
const unlimited = new Set(['getHealth'])
/** Where secrets that people choose or are sent could be guessed. */
const logins = new Set(['login', 'refreshToken', 'setPassword'])

export interface CallLimiter {
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
 * credentials against another one of the address. So nobody uses up what is somebody else's.
 */
export function callLimiter(limits: RateLimits): CallLimiter {
  const guard = guessGuard(limits)
  const counted = new WeakSet<Request>()
  const bucketOf = (request: Request) => addressBucket(callOf(request).ip)
  const countStranger = async (request: Request, response: Response) => {
    counted.add(request)
    tell(response, await limits.take('address', bucketOf(request)))
  }

  const identified: CallLimiter['identified'] = async (request, operation, identify) => {
    counted.add(request)
    if (unlimited.has(operation.id)) return identify()
    const response = request.res as Response
    if (logins.has(operation.id)) {
      tell(response, await limits.take('login', bucketOf(request)))
      return identify()
    }
    const credential = shownTo(operation, request)
    const caller = credential
      ? await guard(
          { credential, address: () => bucketOf(request) },
          { identify, onCounted: allowance => tell(response, allowance) },
        )
      : await identify()
    if ('id' in caller) tell(response, await limits.take(caller.kind === 'key' ? 'key' : 'user', caller.id))
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

/** What a call shows to an operation that asks for something; undefined where it shows nothing. */
function shownTo({ callers }: Pick<Operation, 'callers'>, { headers }: Request): string | undefined {
  const { authorization, 'x-api-key': key } = headers
  const open = callers.every(kind => kind === 'payer')
  return open || (authorization === undefined && key === undefined) ? undefined : `${authorization}\n${key}`
}

function tell(response: Response, allowance: Allowance): void {
  response.set(rateLimitHeaders(allowance))
}
