import type { IncomingHttpHeaders } from 'node:http'
import { connectionOptions } from './request-headers.ts'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Internal headers, and headers that only the gateway sets (CORS and rate limits). */
const gatewayOnly = /^(?:x-cobro|access-control|ratelimit)-/
const gatewayHeaders = new Set(['date', 'server', 'x-powered-by', 'x-request-id'])

/** Returns the response headers to forward, without hop-by-hop headers and those of the gateway. */
export function clientResponseHeaders(headers: IncomingHttpHeaders): [name: string, value: string | string[]][] {
  const named = connectionOptions(headers.connection)
  const isDropped = (name: string) =>
    hopByHop.has(name) || gatewayHeaders.has(name) || named.has(name) || gatewayOnly.test(name)
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || isDropped(name) ? [] : [[name, value]],
  )
}
