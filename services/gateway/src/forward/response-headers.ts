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
/** Between us alone, or for the gateway alone to say: who may call from a browser, and how often. */
const notTheirs = /^(?:x-cobro|access-control|ratelimit)-/
const ours = new Set(['date', 'server', 'x-powered-by', 'x-request-id'])

/** The headers of a service's answer as they go on to the client: without hop-by-hop ones and those that are ours to give. */
export function clientResponseHeaders(headers: IncomingHttpHeaders): [name: string, value: string | string[]][] {
  const named = connectionOptions(headers.connection)
  const stays = (name: string) => hopByHop.has(name) || ours.has(name) || named.has(name) || notTheirs.test(name)
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined || stays(name) ? [] : [[name, value]]))
}
