import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import ipaddr from 'ipaddr.js'

const privateRanges = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'])

/**
 * Creates the server of /metrics. With a token, callers have to send it as a bearer token (401);
 * without one, only private addresses may read the metrics (403).
 */
export function createMetricsServer(serveMetrics: RequestListener, token: string | undefined): Server {
  const server = createServer((request, response) => {
    const status = rejectionOf(request, token)
    if (status === undefined) return serveMetrics(request, response)
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
    response.writeHead(status).end()
  })
  // It serves until the process ends, and does not keep it from ending.
  return server.unref()
}

function rejectionOf({ method, url, headers, socket }: IncomingMessage, token: string | undefined) {
  if (url?.split('?', 1)[0] !== '/metrics') return 404
  if (method !== 'GET') return 405
  if (token) return isEqual(headers.authorization ?? '', `Bearer ${token}`) ? undefined : 401
  return isPrivateAddress(socket.remoteAddress) ? undefined : 403
}

/** Returns whether an address belongs to this machine or a private network. */
export function isPrivateAddress(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range())
}

/** Compares in a time that does not depend on the texts. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
