import { ApiError } from '@cobro/contracts'

/** The credential that a request presents. */
type Credentials = { kind: 'none' } | { kind: 'key'; key: string } | { kind: 'token'; token: string }

/** The credential headers, with every value that was sent. */
export interface CredentialHeaders {
  authorization?: string[] | undefined
  'x-api-key'?: string[] | undefined
}

/**
 * Reads the credentials of a request. Throws a 400 for two different credentials, since choosing
 * one would be a guess, and a 401 for a malformed one.
 */
export function readCredentials(headers: CredentialHeaders): Credentials {
  const found = [
    ...(headers.authorization ?? []).map(readAuthorization),
    ...(headers['x-api-key'] ?? []).map(key => ({ kind: 'key' as const, key: key.trim() })),
  ]
  const distinct = new Map(found.map(one => [JSON.stringify(one), one]))
  if (distinct.size > 1) {
    throw new ApiError('invalid_request', 'expected one credential: either an API key or a bearer token')
  }
  return distinct.values().next().value ?? { kind: 'none' }
}

function readAuthorization(value: string): Credentials {
  const [, scheme = '', secret = ''] = /^(\S+) +(\S+)$/.exec(value.trim()) ?? []
  if (scheme.toLowerCase() === 'token') return { kind: 'key', key: secret }
  if (scheme.toLowerCase() === 'bearer') return { kind: 'token', token: secret }
  throw new ApiError('unauthorized')
}
