import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@cobro/contracts'
import { reveal, type Secret } from '@cobro/runtime'
import type { RequestHandler } from 'express'

/** Rejects requests without the API key. Compares digests, so timing and length reveal nothing. */
export function requireApiKey(apiKey: Secret): RequestHandler {
  const expected = digest(`Bearer ${reveal(apiKey)}`)
  return (request, _response, next) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw new ApiError('unauthorized')
    next()
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
