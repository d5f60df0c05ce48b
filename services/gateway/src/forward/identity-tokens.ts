import type { Caller } from '@cobro/contracts'
import { cachedLoad } from '../cache/cached-load.ts'
import type { UpstreamName } from './upstreams.ts'

interface Subject {
  caller: Caller
  service: UpstreamName
}

/** A token is valid for a minute, so one at most 15 s old is still valid when the service has read the body of its call. */
const ttlMs = 15_000

/** Returns a function that signs a caller's identity for a service, cached for calls soon after. */
export function identityTokens(sign: (caller: Caller, audience: UpstreamName) => Promise<string>) {
  return cachedLoad<Subject, string>({
    ttlMs,
    keyOf: subject => JSON.stringify(subject),
    load: ({ caller, service }) => sign(caller, service),
  })
}
