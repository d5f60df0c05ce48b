import { ApiError } from '@cobro/contracts'

/** What a call shows to say who makes it. */
export type Credentials = { kind: 'none' } | { kind: 'key'; key: string } | { kind: 'token'; token: string }

/** The headers that may hold it, each as often as it was sent. */
export interface CredentialHeaders {
  authorization?: string[] | undefined
  'x-api-key'?: string[] | undefined
}

/**
 * Reads the credentials of a call. Two that differ, or two kinds at once, are refused as a mistake (400): to follow one of
 * them would be a guess. What cannot be a credential at all is a bad one (401).
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
