import { ApiError, type Caller, type Id, idTimeMs, isId } from '@cobro/contracts'

/** Returns the user who calls. Only users may request and decide. */
export function userId(caller: Caller): Id<'usr'> {
  if ('id' in caller && isId('usr', caller.id)) return caller.id
  throw new ApiError('forbidden')
}

/** Returns whether a user has existed for some time, and no one else has changed its credentials or access since. */
export function isOlderThan(caller: Caller, ageMs: number): boolean {
  const since = ('credentials_since' in caller && caller.credentials_since) || 0
  return Math.max(idTimeMs(userId(caller)), since * 1000) <= Date.now() - ageMs
}
