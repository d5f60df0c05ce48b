import cors from 'cors'
import type { Request, RequestHandler } from 'express'

/** Keys are no business of a browser, so no page may send one by a header of its own. */
const allowedHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Merchant-Id']
const exposedHeaders = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotent-Replayed',
]
const maxAgeSeconds = 600

/**
 * Lets dashboards on these origins call the API from a browser. Tokens travel in a header, so cookies are never allowed; an
 * origin that is not named gets no permission at all.
 */
export function corsMiddleware(origins: string[]): RequestHandler {
  const allowed = new Set(origins)
  const permission = {
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders,
    exposedHeaders,
    maxAge: maxAgeSeconds,
  }
  const allow = cors<Request>((request, done) => {
    const { origin = '' } = request.headers
    done(null, { ...permission, origin: allowed.has(origin) && origin })
  })
  return (request, response, next) => {
    response.vary('Origin')
    allow(request, response, next)
  }
}
