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
const ours = new Set(['date', 'server', 'x-powered-by', 'x-request-id'])

/** The headers of a service's answer as they go on to the client: without hop-by-hop and internal ones. */
export function answerHeaders(headers: IncomingHttpHeaders): [name: string, value: string | string[]][] {
  const named = connectionOptions(headers.connection)
  const stays = (name: string) => hopByHop.has(name) || ours.has(name) || named.has(name) || name.startsWith('x-cobro-')
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined || stays(name) ? [] : [[name, value]]))
}
