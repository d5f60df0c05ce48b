import { type ErrorCode, errorStatus, type Operation } from '@cobro/contracts'
import { takesKey } from '../idempotency-key.ts'
import type { Json } from './json-schemas.ts'

interface ErrorWords {
  code: ErrorCode
  description: string
  example: Json
  headers?: readonly string[]
}

/** Every error answer that operations share, by the name of its component. */
const answers = {
  InvalidRequest: {
    code: 'invalid_request',
    description: 'A field, parameter or header is not as expected; the text names it',
    example: { error: 'invalid_request: amount_total: expected an integer in minor units (cents), got 250.5' },
  },
  Unauthorized: {
    code: 'unauthorized',
    description: 'No credential, or one that is not good',
    example: { error: 'unauthorized' },
  },
  Declined: {
    code: 'insufficient_funds',
    description: 'The card was declined; the text is the reason',
    example: { error: 'insufficient_funds', declined: true },
  },
  Forbidden: {
    code: 'forbidden',
    description: 'The caller may not do this, or not with this object',
    example: { error: 'forbidden' },
  },
  NotFound: { code: 'not_found', description: 'There is no such object', example: { error: 'not_found' } },
  Conflict: {
    code: 'conflict',
    description: 'The object’s state does not permit it, or a call under the same Idempotency-Key is still running',
    example: { error: 'conflict: a payment is running' },
  },
  TooLarge: {
    code: 'payload_too_large',
    description: 'The body is too large',
    example: { error: 'payload_too_large: expected at most 256 KiB' },
  },
  UnsupportedMediaType: {
    code: 'unsupported_media_type',
    description: 'The body is not JSON by its Content-Type',
    example: { error: 'unsupported_media_type: expected Content-Type: application/json' },
  },
  IdempotencyMismatch: {
    code: 'idempotency_mismatch',
    description: 'The Idempotency-Key was used with another body',
    example: { error: 'idempotency_mismatch: this Idempotency-Key was used with another body' },
  },
  RateLimited: {
    code: 'rate_limited',
    description: 'Too many calls; `Retry-After` says when to come again',
    example: { error: 'rate_limited: expected at most 1000 calls in 10 s' },
    headers: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  },
  InternalError: {
    code: 'internal_error',
    description: 'A fault of ours. Quote the request id',
    example: { error: 'internal_error' },
  },
  ProcessingError: {
    code: 'processing_error',
    description: 'The payment failed for a technical reason; nothing was charged',
    example: { error: 'processing_error' },
  },
  Unavailable: {
    code: 'unavailable',
    description: 'Something that is needed cannot be reached; nothing was done',
    example: { error: 'unavailable' },
  },
  Timeout: {
    code: 'timeout',
    description: 'No answer in time. Whether a change was made is not known: repeat it under its Idempotency-Key',
    example: { error: 'timeout' },
  },
} as const satisfies Record<string, ErrorWords>

type AnswerName = keyof typeof answers

/** The error answers that an operation may give, each by reference. */
export function errorAnswers(operation: Operation): Json {
  const names = answersOf(operation).map(name => [errorStatus[answers[name].code], name] as const)
  return Object.fromEntries(names.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]))
}

function answersOf(operation: Operation): AnswerName[] {
  const { callers, method, params, body, service, id } = operation
  const open = callers.every(kind => kind === 'payer')
  const when = (condition: boolean, ...names: AnswerName[]) => (condition ? names : [])
  return [
    'InvalidRequest',
    ...when(!open || id === 'login' || id === 'refreshToken' || id === 'setPassword', 'Unauthorized'),
    ...when(operation.charges === true, 'Declined', 'ProcessingError'),
    // Who signs as the acquirer may do what there is for it to do.
    ...when(!open && !callers.includes('acquirer'), 'Forbidden'),
    ...when(params !== undefined, 'NotFound'),
    ...when(method !== 'GET', 'Conflict', 'TooLarge'),
    ...when(body !== undefined, 'UnsupportedMediaType'),
    ...when(takesKey(operation), 'IdempotencyMismatch'),
    'RateLimited',
    'InternalError',
    'Unavailable',
    ...when(service !== 'gateway', 'Timeout'),
  ]
}

/** The components that the error answers refer to. */
export function errorComponents(): Json {
  return Object.fromEntries(
    Object.entries(answers as Record<string, ErrorWords>).map(([name, { description, example, headers = [] }]) => [
      name,
      {
        description,
        headers: Object.fromEntries(
          ['X-Request-Id', ...headers].map(header => [header, { $ref: `#/components/headers/${header}` }]),
        ),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
      },
    ]),
  )
}
