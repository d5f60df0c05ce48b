import {
  ApiError,
  type ApiErrorFields,
  AuthenticationError,
  ConflictError,
  DeclinedError,
  ForbiddenError,
  GatewayTimeoutError,
  IdempotencyMismatchError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnavailableError,
} from './errors.ts'

const byStatus: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  402: DeclinedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: ApiError,
  422: IdempotencyMismatchError,
  429: RateLimitError,
  503: UnavailableError,
  504: GatewayTimeoutError,
}

/** Returns the error of a response with an error. */
export function apiErrorOf(fields: ApiErrorFields): ApiError {
  const { status } = fields
  const otherwise = status >= 500 ? ServerError : status >= 400 ? InvalidRequestError : ApiError
  return new (byStatus[status] ?? otherwise)(fields)
}
