import type { Caller } from '@cobro/contracts'
import { cachedLoad } from '../cache/cached-load.ts'
import type { UpstreamName } from './upstreams.ts'

interface Subject {
  caller: Caller
  service: UpstreamName
}

/** How long a token is used of the minute for which it is valid. */
const ttlMs = 15_000

/** Returns a function that signs a caller's identity for a service, cached for calls soon after. */
export function identityTokens(sign: (caller: Caller, audience: UpstreamName) => Promise<string>) {
  return cachedLoad<Subject, string>({
    ttlMs,
    keyOf: subject => JSON.stringify(subject),
    load: ({ caller, service }) => sign(caller, service),
  })
}
