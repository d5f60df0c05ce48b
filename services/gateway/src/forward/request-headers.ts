import type { IncomingHttpHeaders } from 'node:http'

/** Client headers for services: no credential, hop-by-hop, internal or trace headers. */
const forwardedHeaders = [
  'acquirer-signature',
  'accept',
  'accept-language',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'user-agent',
]

/** Returns the request headers to forward to a service, without those that `Connection` names. */
export function upstreamRequestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const named = connectionOptions(headers.connection)
  const result: Record<string, string> = {}
  for (const name of forwardedHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && !named.has(name)) result[name] = value
  }
  return result
}

const none: ReadonlySet<string> = new Set()

/** Returns the header names that a `Connection` header lists, in lower case. */
export function connectionOptions(value: string | string[] | undefined): ReadonlySet<string> {
  // What clients and services usually send, and no header that is forwarded.
  if (value === undefined || value === 'keep-alive') return none
  return new Set(
    [value ?? []]
      .flat()
      .join(',')
      .split(',')
      .map(option => option.trim().toLowerCase()),
  )
}
