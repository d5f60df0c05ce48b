import { ApiError, type ErrorCode } from '@cobro/contracts'
import type { Logger } from '@cobro/runtime'
import type { ErrorRequestHandler } from 'express'

interface ErrorDeps {
  /** Tells whether a failure means that something this service needs cannot be reached. */
  isUnavailable: (error: unknown) => boolean
  logger: Logger
}

/** What is away or slow fails every call while it lasts: a short line for each, since a stack would tell nothing of it. */
const outages = new Set<ErrorCode>(['unavailable', 'timeout'])

/** The one place that makes error bodies. What is not meant for the caller goes to the log, under the request's id. */
export function answerErrors({ isUnavailable, logger }: ErrorDeps): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const told = tellable(error, isUnavailable)
    if (outages.has(told.code)) logger.warn({ cause: reasonOf(error) }, told.message)
    else if (told.status >= 500) logger.error({ err: error }, told.message)
    if (response.headersSent) return next(error)
    response.status(told.status).set(told.headers).json(told.body)
  }
}

function tellable(error: unknown, isUnavailable: (error: unknown) => boolean): ApiError {
  if (error instanceof ApiError) return error
  const { type, status } = error as { type?: unknown; status?: unknown }
  if (type === 'entity.too.large') return new ApiError('payload_too_large', 'expected at most 256 KiB')
  if (type === 'encoding.unsupported') return new ApiError('unsupported_media_type', 'expected no Content-Encoding')
  if (status === 400) return new ApiError('invalid_request', 'the request cannot be read')
  if (isUnavailable(error)) return new ApiError('unavailable')
  return new ApiError('internal_error')
}

/** The innermost cause's text. A connection that was tried by several ways has no text but a code. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = error as { cause?: unknown; code?: unknown; message?: unknown }
  return cause ? reasonOf(cause) : String(message || code)
}
