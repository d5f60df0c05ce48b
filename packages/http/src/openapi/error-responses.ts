import { type ErrorCode, errorBody, errorStatus, type Operation } from '@cobro/contracts'
import { acceptsIdempotencyKey } from '../idempotency-key.ts'
import type { Json, SchemaCollector } from './json-schemas.ts'

interface ErrorResponse {
  code: ErrorCode
  description: string
  example: Json
  headers?: readonly string[]
}

/** The error responses that operations share. Their components are named by their status, which keeps the description short. */
const responses = {
  InvalidRequest: {
    code: 'invalid_request',
    description: 'A field, parameter or header is invalid; the text names it',
    example: { error: 'invalid_request: amount_total: expected an integer in minor units (cents), got 250.5' },
  },
  Unauthorized: {
    code: 'unauthorized',
    description: 'No credential, or an invalid one',
    example: { error: 'unauthorized' },
  },
  Declined: {
    code: 'insufficient_funds',
    description: 'The issuer declined the card; the code is the reason',
    example: { error: 'insufficient_funds', declined: true },
  },
  Forbidden: {
    code: 'forbidden',
    description: 'The caller may not do this, or not with this object',
    example: { error: 'forbidden' },
  },
  NotFound: { code: 'not_found', description: 'No such object exists', example: { error: 'not_found' } },
  Conflict: {
    code: 'conflict',
    description: 'The state of the object does not allow it, or a call with the same Idempotency-Key is still running',
    example: { error: 'conflict: a payment is running' },
  },
  TooLarge: {
    code: 'payload_too_large',
    description: 'The body is too large',
    example: { error: 'payload_too_large: expected at most 256 KiB' },
  },
  UnsupportedMediaType: {
    code: 'unsupported_media_type',
    description: 'The Content-Type is not JSON',
    example: { error: 'unsupported_media_type: expected Content-Type: application/json' },
  },
  IdempotencyMismatch: {
    code: 'idempotency_mismatch',
    description: 'The Idempotency-Key was used with another body',
    example: { error: 'idempotency_mismatch: this Idempotency-Key was used with another body' },
  },
  RateLimited: {
    code: 'rate_limited',
    description: 'Too many calls; retry after `Retry-After` seconds',
    example: { error: 'rate_limited: expected at most 1000 calls in 10 s' },
    headers: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  },
  InternalError: {
    code: 'internal_error',
    description: 'An internal error. Quote the request id',
    example: { error: 'internal_error' },
  },
  ProcessingError: {
    code: 'processing_error',
    description: 'The payment failed for a technical reason; nothing was charged',
    example: { error: 'processing_error' },
  },
  Unavailable: {
    code: 'unavailable',
    description: 'A dependency cannot be reached; nothing was done',
    example: { error: 'unavailable' },
  },
  Timeout: {
    code: 'timeout',
    description: 'No response in time. The change may have been made: repeat the call with its Idempotency-Key',
    example: { error: 'timeout' },
  },
} as const satisfies Record<string, ErrorResponse>

type ResponseName = keyof typeof responses

/** Returns the error responses of an operation, each as a reference. */
export function errorResponses(operation: Operation): Json {
  const statuses = namesOf(operation).map(name => errorStatus[responses[name].code])
  return Object.fromEntries(statuses.map(status => [status, { $ref: `#/components/responses/${status}` }]))
}

/** The codes that every operation may answer; the introduction of the description names them. */
const common: readonly ErrorCode[] = ['invalid_request', 'rate_limited', 'internal_error', 'unavailable']
export const commonErrorCodes = common.map(code => `\`${code}\``).join(', ')

/** Returns the error codes of an operation besides the common ones. The code of a decline is its reason. */
export function errorCodes(operation: Operation): string[] {
  const own = namesOf(operation).filter(name => !common.includes(responses[name].code))
  return own.map(name => (name === 'Declined' ? 'a decline reason' : `\`${responses[name].code}\``))
}

function namesOf(operation: Operation): ResponseName[] {
  const { callers, method, params, body, service, limit } = operation
  const open = callers.every(kind => kind === 'payer')
  const when = (condition: boolean, ...names: ResponseName[]) => (condition ? names : [])
  return [
    'InvalidRequest',
    ...when(!open || limit === 'login', 'Unauthorized'),
    ...when(operation.charges === true, 'Declined', 'ProcessingError'),
    // The acquirer may do everything that its signature gives access to.
    ...when(!open && !callers.includes('acquirer'), 'Forbidden'),
    ...when(params !== undefined, 'NotFound'),
    ...when(method !== 'GET', 'Conflict', 'TooLarge'),
    ...when(body !== undefined, 'UnsupportedMediaType'),
    ...when(acceptsIdempotencyKey(operation), 'IdempotencyMismatch'),
    'RateLimited',
    'InternalError',
    'Unavailable',
    ...when(service !== 'gateway', 'Timeout'),
  ]
}

/** Returns the components that the error responses refer to. */
export function errorComponents(schemas: SchemaCollector): Json {
  const schema = schemas.reference(errorBody)
  return Object.fromEntries(
    Object.values<ErrorResponse>(responses).map(({ code, description, example, headers = [] }) => [
      errorStatus[code],
      {
        description,
        headers: Object.fromEntries(
          ['X-Request-Id', ...headers].map(header => [header, { $ref: `#/components/headers/${header}` }]),
        ),
        content: { 'application/json': { schema, example } },
      },
    ]),
  )
}
