import type { IncomingHttpHeaders } from 'node:http'

/** What a service may hear from a client. Credentials, hop-by-hop and internal headers, and traces are not among it. */
const passed = [
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

/** The headers of a call as they go on to a service. One that `Connection` names was meant for us alone. */
export function upstreamRequestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const named = connectionOptions(headers.connection)
  const result: Record<string, string> = {}
  for (const name of passed) {
    const value = headers[name]
    if (typeof value === 'string' && !named.has(name)) result[name] = value
  }
  return result
}

/** The header names that a `Connection` header lists, in lower case. */
export function connectionOptions(value: string | string[] | undefined): Set<string> {
  return new Set(
    [value ?? []]
      .flat()
      .join(',')
      .split(',')
      .map(option => option.trim().toLowerCase()),
  )
}
