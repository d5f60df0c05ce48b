import { brandOf, CobroError } from './cobro-error.ts'
import type { DeclineReason, KnownErrorCode } from './error-codes.ts'

/** The code of an error. A later version of the API may send codes that this version of the SDK does not know. */
export type ErrorCode = KnownErrorCode | (string & {})

export { CobroError } from './cobro-error.ts'

/** What a response with an error contains. */
export interface ApiErrorFields {
  /** The HTTP status. */
  status: number
  code: ErrorCode
  /** What is wrong, for people. */
  detail?: string | undefined
  /** The id to quote to support. */
  requestId?: string | undefined
  /** The key under which the call can be repeated without a second effect. */
  idempotencyKey?: string | undefined
  /** The operation, as the API description names it. */
  operationId: string
  /** How many seconds the API asks to wait before the next attempt. */
  retryAfterSeconds?: number | undefined
  headers: Headers
  /** Whether the call may have had its effect although it failed. */
  outcomeUnknown?: boolean
  /** What `mfa_required` comes with. */
  mfaToken?: string | undefined
  mfaSetup?: boolean
}

/** The API answered with an error. */
export class ApiError extends CobroError {
  static override readonly brand: symbol = brandOf('ApiError')
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string | undefined
  readonly requestId: string | undefined
  readonly idempotencyKey: string | undefined
  readonly operationId: string
  readonly retryAfterSeconds: number | undefined
  readonly headers: Headers

  constructor(fields: ApiErrorFields) {
    const { status, code, detail, requestId } = fields
    super([code, detail && `: ${detail}`, requestId && ` (${requestId})`].filter(Boolean).join(''))
    this.status = status
    this.code = code
    this.detail = detail
    this.requestId = requestId
    this.idempotencyKey = fields.idempotencyKey
    this.operationId = fields.operationId
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.headers = fields.headers
    this.outcomeUnknown = fields.outcomeUnknown ?? false
  }
}

/** 400 and its kin: the request is invalid; `detail` names the field. */
export class InvalidRequestError extends ApiError {
  static override readonly brand: symbol = brandOf('InvalidRequestError')
}

/** 401: the credential is missing, invalid or expired, or with `mfa_required`, not enough. */
export class AuthenticationError extends ApiError {
  static override readonly brand: symbol = brandOf('AuthenticationError')
  /** With `mfa_required`: send it with a code to `auth.loginFactor`. */
  readonly mfaToken: string | undefined
  /** With `mfa_required`: whether the user has to set up a second factor first, with `auth.setUpFactor`. */
  readonly mfaSetup: boolean

  constructor(fields: ApiErrorFields) {
    super(fields)
    this.mfaToken = fields.mfaToken
    this.mfaSetup = fields.mfaSetup ?? false
  }
}

/** 402: the issuer declined the card. */
export class DeclinedError extends ApiError {
  static override readonly brand: symbol = brandOf('DeclinedError')

  /** Why, as the issuer says it. */
  get reason(): DeclineReason | (string & {}) {
    return this.code
  }
}

/** 403: the caller may not do this. */
export class ForbiddenError extends ApiError {
  static override readonly brand: symbol = brandOf('ForbiddenError')
}

/** 404: no such object, or one of another merchant. */
export class NotFoundError extends ApiError {
  static override readonly brand: symbol = brandOf('NotFoundError')
}

/** 409: the state of the object does not allow it. */
export class ConflictError extends ApiError {
  static override readonly brand: symbol = brandOf('ConflictError')
}

/** 422: the Idempotency-Key was used for another request. */
export class IdempotencyMismatchError extends ApiError {
  static override readonly brand: symbol = brandOf('IdempotencyMismatchError')
}

/** 429: too many calls. */
export class RateLimitError extends ApiError {
  static override readonly brand: symbol = brandOf('RateLimitError')
}

/** 500 and 502: the API or what it depends on failed. */
export class ServerError extends ApiError {
  static override readonly brand: symbol = brandOf('ServerError')
}

/** 503: a dependency cannot be reached. The change may have been made: the gateway also sends it if it cannot record the call. */
export class UnavailableError extends ApiError {
  static override readonly brand: symbol = brandOf('UnavailableError')
}

/** 504: the API got no answer in time; the change may have been made. */
export class GatewayTimeoutError extends ApiError {
  static override readonly brand: symbol = brandOf('GatewayTimeoutError')
}

/** What is known about a call that got no answer. */
export interface UnansweredFields {
  operationId: string
  /** Whether the call may have had its effect. */
  outcomeUnknown: boolean
  /** The key under which the call can be repeated without a second effect. */
  idempotencyKey?: string | undefined
  cause?: unknown
}

/** A call that got no answer: a `ConnectionError`, `TimeoutError` or `AbortedError`. */
export class UnansweredError extends CobroError {
  static override readonly brand: symbol = brandOf('UnansweredError')
  readonly operationId: string
  readonly idempotencyKey: string | undefined

  constructor(problem: string, { operationId, outcomeUnknown, idempotencyKey, cause }: UnansweredFields) {
    const outcome = outcomeUnknown ? '; it may have had its effect' : ''
    super(`${operationId}: ${problem}${outcome}`, { cause })
    this.operationId = operationId
    this.outcomeUnknown = outcomeUnknown
    this.idempotencyKey = idempotencyKey
  }
}

/** There was no connection, or it was lost. */
export class ConnectionError extends UnansweredError {
  static override readonly brand: symbol = brandOf('ConnectionError')
}

/** No answer came within the time limit. */
export class TimeoutError extends UnansweredError {
  static override readonly brand: symbol = brandOf('TimeoutError')
}

/** The caller aborted the call. */
export class AbortedError extends UnansweredError {
  static override readonly brand: symbol = brandOf('AbortedError')
}

/** Events of the feed are missing: they are older than what is kept. */
export class FeedGapError extends CobroError {
  static override readonly brand: symbol = brandOf('FeedGapError')
  /** The first and the last missing sequence. */
  readonly from: number
  readonly to: number

  constructor(from: number, to: number) {
    super(`The feed lacks the events ${from} to ${to}.`)
    this.from = from
    this.to = to
  }
}
