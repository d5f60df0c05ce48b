import cors from 'cors'
import type { Request, RequestHandler } from 'express'

/** `X-API-Key` is missing on purpose: API keys do not belong in a browser. */
const allowedHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Merchant-Id']
const exposedHeaders = [
  'X-Request-Id',
  'Link',
  'X-Total-Count',
  'Retry-After',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
]
const maxAgeSeconds = 600

/**
 * Allows browsers on these origins to call the API (CORS). Tokens travel in a header, so
 * credentials (cookies) are not allowed. Other origins get no CORS headers.
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
