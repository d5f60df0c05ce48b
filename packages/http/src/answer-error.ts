import { ApiError, type ErrorCode } from '@cobro/contracts'
import type { Logger } from '@cobro/runtime'
import type { ErrorRequestHandler } from 'express'
import { internalHeaders } from './internal-headers.ts'

interface ErrorDeps {
  /** Whether an error means that a dependency of the service cannot be reached. */
  isUnavailable: (error: unknown) => boolean
  logger: Logger
}

/** An outage fails every call while it lasts, so each is logged as a short line without a stack. */
const outages = new Set<ErrorCode>(['unavailable', 'timeout'])

/** Sends all error responses. Logs the cause under the request id and keeps it from the caller. */
export function answerErrors({ isUnavailable, logger }: ErrorDeps): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const shown = apiErrorOf(error, isUnavailable)
    if (outages.has(shown.code)) logger.warn({ cause: reasonOf(error) }, shown.message)
    else if (shown.status >= 500) logger.error({ err: error }, shown.message)
    if (response.headersSent) return next(error)
    response.set(internalHeaders.errorCode, shown.code)
    response.status(shown.status).set(shown.headers).json(shown.body)
  }
}

function apiErrorOf(error: unknown, isUnavailable: (error: unknown) => boolean): ApiError {
  if (error instanceof ApiError) return error
  const { type, status, limit } = error as { type?: unknown; status?: unknown; limit?: unknown }
  if (type === 'entity.too.large')
    return new ApiError('payload_too_large', `expected at most ${Number(limit) / 1024} KiB`)
  if (type === 'encoding.unsupported') return new ApiError('unsupported_media_type', 'expected no Content-Encoding')
  if (status === 400) return new ApiError('invalid_request', 'the request cannot be read')
  if (isUnavailable(error)) return new ApiError('unavailable')
  return new ApiError('internal_error')
}

/** Returns the innermost message, or the code: failing at several addresses leaves no message. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = error as { cause?: unknown; code?: unknown; message?: unknown }
  return cause ? reasonOf(cause) : String(message || code)
}
