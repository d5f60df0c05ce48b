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

/** The idempotency key that a charge is sent under. */
export function idempotencyKeyOf(request: Request): string {
  const key = idempotencyKey.safeParse(request.headers['idempotency-key'])
  if (key.success) return key.data
  throw new ApiError('invalid_request', 'Idempotency-Key: expected 1 to 255 visible ASCII characters')
}

/** The key that a path names. One that no charge can have does not exist. */
export function keyInPath(request: Request): string {
  const key = idempotencyKey.safeParse(request.params.key)
  if (key.success) return key.data
  throw new ApiError('not_found')
}
