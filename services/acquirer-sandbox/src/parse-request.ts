import { idempotencyKey } from '@cobro/acquirer'
import { ApiError, describeFaults } from '@cobro/contracts'
import { readBody } from '@cobro/http'
import type { Request } from 'express'
import type { z } from 'zod'

/** The body of a request, if it fits the schema. */
export function bodyOf<T>(request: Request, schema: z.ZodType<T>): T {
  const body = schema.safeParse(readBody(request), { reportInput: true })
  if (body.success) return body.data
  throw new ApiError('invalid_request', describeFaults(body.error))
}

/** The idempotency key that something is asked for under. */
export function idempotencyKeyOf(request: Request): string {
  const key = idempotencyKey.safeParse(request.headers['idempotency-key'])
  if (key.success) return key.data
  throw new ApiError('invalid_request', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
}

/** The key that a path names. */
export function keyInPath(request: Request): string {
  return segmentOf(request, 'key')
}

/** A key or reference that a path names. One that cannot be any does not exist. */
export function segmentOf(request: Request, name: 'key' | 'reference'): string {
  const segment = idempotencyKey.safeParse(request.params[name])
  if (segment.success) return segment.data
  throw new ApiError('not_found')
}
