import { ApiError, type Caller, type Operation } from '@cobro/contracts'
import type { Request } from 'express'
import { callOf } from '../calls/open-call.ts'
import { addressGroup } from './address-group.ts'
import { type RateLimits, rateLimitHeaders } from './rate-limits.ts'

/** Asked by orchestrators and monitors, which nobody may keep from it. */
const unlimited = new Set(['getHealth'])
/** Where secrets that people choose or are sent could be guessed. */
const logins = new Set(['login', 'refreshToken', 'setPassword'])

/**
 * Finds out who calls and counts the call: a key's and a user's against their own limit, all others, those with a bad
 * credential among them, against their address's. So nobody uses up what is somebody else's by guessing.
 */
export async function limitCall(
  limits: RateLimits,
  request: Request,
  operation: Pick<Operation, 'id'>,
  identify: () => Promise<Caller>,
): Promise<Caller> {
  if (unlimited.has(operation.id)) return identify()
  const take = async (...[kind, who]: Parameters<RateLimits['take']>) => {
    request.res?.set(rateLimitHeaders(await limits.take(kind, who)))
  }
  const address = addressGroup(callOf(request).ip)
  if (logins.has(operation.id)) await take('login', address)
  const caller = await identify().catch(async (error: unknown) => {
    if (error instanceof ApiError && error.status < 500) await take('address', address)
    throw error
  })
  if (caller.kind === 'key') await take('key', caller.id)
  else if (caller.kind === 'client' || caller.kind === 'operator') await take('user', caller.id)
  else if (!logins.has(operation.id)) await take('address', address)
  return caller
}
