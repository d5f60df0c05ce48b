import type { Caller } from '@cobro/contracts'
import { cachedLoad } from '../cache/cached-load.ts'
import type { UpstreamName } from './upstreams.ts'

interface Subject {
  caller: Caller
  service: UpstreamName
}

/** A token is good for 30 s: one that was made at most 15 s ago outlasts the way to its service. */
const freshMs = 15_000

/** Makes a caller's identity for a service, and uses it again for the calls that follow soon. */
export function identityTokens(sign: (caller: Caller, audience: UpstreamName) => Promise<string>) {
  return cachedLoad<Subject, string>({
    ttlMs: freshMs,
    keyOf: subject => JSON.stringify(subject),
    load: ({ caller, service }) => sign(caller, service),
  })
}
