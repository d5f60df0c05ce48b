import { z } from 'zod'
import { type DeclineReason, declineReasons } from './fields/decline-reasons.ts'

/** Every error code and its HTTP status. The decline reasons are the codes of a 402. */
export const errorStatus = {
  invalid_request: 400,
  unauthorized: 401,
  mfa_required: 401,
  forbidden: 403,
  confirmation_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_mismatch: 422,
  rate_limited: 429,
  header_too_large: 431,
  internal_error: 500,
  processing_error: 502,
  unavailable: 503,
  timeout: 504,
  request_timeout: 408,
  ...(Object.fromEntries(declineReasons.map(reason => [reason, 402])) as Record<DeclineReason, 402>),
} as const

export type ErrorCode = keyof typeof errorStatus

/** The body of every error response. Only a 402 has `declined`. */
export const errorBody = z
  .object({
    error: z.string().meta({
      description: 'The error code, followed by `: ` and a detail for people where there is one.',
      examples: ['invalid_request: amount_cents: required'],
    }),
    declined: z.literal(true).optional().describe('Only on a 402: the issuer declined the card.'),
    mfa_token: z.string().optional().meta({
      description:
        'Only with `mfa_required`: send it with a code to `POST /api/auth/login/factor`. It is valid for five minutes.',
    }),
    mfa_setup: z
      .literal(true)
      .optional()
      .describe('Only with `mfa_required`: set up the second factor first, at `POST /api/auth/login/factor/setup`.'),
  })
  .meta({ id: 'Error', description: 'What went wrong.' })

/** What a client needs beside the code of `mfa_required`. */
type MfaFields = Pick<z.output<typeof errorBody>, 'mfa_token' | 'mfa_setup'>

interface ApiErrorOptions {
  cause?: unknown
  headers?: Record<string, string>
  mfa?: MfaFields
}

/** A failure with a code and detail for the caller. Its `cause` is logged and never sent. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly detail: string | undefined
  readonly headers: Record<string, string>
  readonly mfa: MfaFields

  constructor(code: ErrorCode, detail?: string, options: ApiErrorOptions = {}) {
    super(detail ? `${code}: ${detail}` : code, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.detail = detail
    this.headers = options.headers ?? {}
    this.mfa = options.mfa ?? {}
  }

  /** The HTTP status of the code. */
  get status(): number {
    return errorStatus[this.code]
  }

  /** The response body. A 401 has no detail, so that guessing reveals nothing. */
  get body(): z.output<typeof errorBody> {
    const error = this.code === 'unauthorized' ? this.code : this.message
    return this.status === 402 ? { error, declined: true } : { error, ...this.mfa }
  }
}
