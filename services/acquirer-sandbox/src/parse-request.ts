import { idempotencyKey } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import { readBody } from '@cobro/http'
import type { Request } from 'express'
import { z } from 'zod'

const emptyBody = z.strictObject({}).optional()

/** Returns the body of a request. Throws `invalid_request` if it does not match the schema. */
export function bodyOf<T>(request: Request, schema: z.ZodType<T>): T {
  return readBody(request, schema)
}

/** Returns the request's idempotency key with its body. */
export function keyedBodyOf<T extends object>(request: Request, schema: z.ZodType<T>): T & { key: string } {
  const key = idempotencyKey.safeParse(request.headers['idempotency-key'])
  if (key.success) return { key: key.data, ...bodyOf(request, schema) }
  throw new ApiError('invalid_request', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
}

/** Returns the key or reference in the path of a request that has no body. */
export function bodylessSegmentOf(request: Request, name: 'key' | 'reference'): string {
  bodyOf(request, emptyBody)
  return segmentOf(request, name)
}

/** Returns the key or reference in a path. Throws `not_found` if its format is invalid. */
export function segmentOf(request: Request, name: 'key' | 'reference'): string {
  const segment = idempotencyKey.safeParse(request.params[name])
  if (segment.success) return segment.data
  throw new ApiError('not_found')
}
