import { idempotencyKey } from '@cobro/acquirer'
import { ApiError, describeValidationErrors } from '@cobro/contracts'
import { readBody } from '@cobro/http'
import type { Request } from 'express'
import type { z } from 'zod'

/** Returns the body of a request. Throws `invalid_request` if it does not match the schema. */
export function bodyOf<T>(request: Request, schema: z.ZodType<T>): T {
  const body = schema.safeParse(readBody(request), { reportInput: true })
  if (body.success) return body.data
  throw new ApiError('invalid_request', describeValidationErrors(body.error))
}

/** Returns the request's idempotency key. */
export function idempotencyKeyOf(request: Request): string {
  const key = idempotencyKey.safeParse(request.headers['idempotency-key'])
  if (key.success) return key.data
  throw new ApiError('invalid_request', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
}

/** Returns the key in a path. */
export function pathKey(request: Request): string {
  return pathSegment(request, 'key')
}

/** Returns the key or reference in a path. Throws `not_found` if its format is invalid. */
export function pathSegment(request: Request, name: 'key' | 'reference'): string {
  const segment = idempotencyKey.safeParse(request.params[name])
  if (segment.success) return segment.data
  throw new ApiError('not_found')
}
