import {
  acceptsIdempotencyKey,
  type ErrorCode,
  errorBody,
  errorStatus,
  needsFreshLogin,
  type Operation,
} from '@cobro/contracts'
import { z } from 'zod'
import type { Json, SchemaCollector } from './json-schemas.ts'

interface ErrorResponse {
  code: ErrorCode
  description: string
  example: Json
}

function errorResponse(code: ErrorCode, description: string, detail?: string): ErrorResponse {
  return { code, description, example: { error: detail ? `${code}: ${detail}` : code } }
}

const declined: ErrorResponse = {
  code: 'insufficient_funds',
  description: 'The issuer declined the card; the code is the reason',
  example: { error: 'insufficient_funds', declined: true },
}
const processingError = errorResponse(
  'processing_error',
  'The payment failed for a technical reason; nothing was charged',
)
const notFound = errorResponse('not_found', 'No such object exists')
const conflict = errorResponse(
  'conflict',
  'The state of the object does not allow it, or a call with the same Idempotency-Key is still running',
  'a payment is running',
)
const gone = errorResponse(
  'gone',
  'The events after this sequence are no longer kept; the text has the lowest `after`',
  'after: expected at least 1041',
)
const idempotencyMismatch = errorResponse(
  'idempotency_mismatch',
  'The Idempotency-Key was used with another body; if the response contains a secret, also: by another caller',
  'this Idempotency-Key was used with another body',
)

/** The errors with a particular meaning for an operation. Their components are named by status. */
const ownErrors = [declined, notFound, conflict, gone, idempotencyMismatch, processingError]

/** The errors that every operation may return. */
const commonErrors: readonly ErrorResponse[] = [
  errorResponse(
    'invalid_request',
    'a field, parameter or header is invalid; the text names it',
    'amount_total: expected an integer in minor units (cents), got 250.5',
  ),
  errorResponse('request_timeout', 'the request did not arrive in time', 'the request did not arrive in time'),
  errorResponse('payload_too_large', 'the body is too large', 'expected at most 256 KiB'),
  errorResponse('unsupported_media_type', 'the Content-Type is not JSON', 'expected Content-Type: application/json'),
  errorResponse('expectation_failed', 'the header `Expect` is not `100-continue`', 'expected 100-continue or none'),
  errorResponse(
    'rate_limited',
    'too many calls; retry after `Retry-After` seconds',
    'expected at most 1000 calls in 10 s',
  ),
  errorResponse('header_too_large', 'the headers are too large', 'expected at most 16 KiB of headers'),
  errorResponse('internal_error', 'an internal error. Quote the request id'),
  errorResponse(
    'unavailable',
    'a dependency cannot be reached. The change may have been made: repeat the call with its Idempotency-Key',
  ),
  errorResponse(
    'timeout',
    'no response in time. The change may have been made: repeat the call with its Idempotency-Key',
  ),
]

/** The errors of operations that need a credential, which their security says. */
const credentialErrors: readonly ErrorResponse[] = [
  errorResponse('unauthorized', 'no credential, or an invalid one'),
  errorResponse('forbidden', 'the caller may not do this, or not with this object'),
  errorResponse('mfa_required', 'the password was right: send a code with the `mfa_token` of the answer'),
  errorResponse('confirmation_required', 'the user has to confirm the login at `POST /api/auth/confirm` first'),
]

/** The codes that every operation may return; the introduction of the description names them. */
export const commonErrorCodes = commonErrors.map(({ code }) => `\`${code}\``).join(', ')

/** Returns the error responses of an operation, each as a reference. */
export function errorResponses(operation: Operation): Json {
  const statuses = [...ownErrorsOf(operation).map(({ code }) => errorStatus[code]), 'default']
  return Object.fromEntries(statuses.map(status => [status, { $ref: `#/components/responses/${status}` }]))
}

/** Returns the error codes in an operation's description. The code of a decline is its reason. */
export function errorCodes(operation: Operation): string[] {
  const own = ownErrorsOf(operation).map(error => (error === declined ? 'a decline reason' : `\`${error.code}\``))
  return [...credentialCodes(operation), ...own]
}

function credentialCodes(operation: Operation): string[] {
  const { browserOnly, callers, limit } = operation
  if (browserOnly) return ['`unauthorized`', '`forbidden`']
  if (callers.every(kind => kind === 'payer')) return limit === 'login' ? ['`unauthorized`'] : []
  // The acquirer may do everything that its signature gives access to.
  if (callers.includes('acquirer')) return ['`unauthorized`']
  const isFresh = needsFreshLogin(operation) && callers.some(kind => kind === 'client' || kind === 'operator')
  return ['`unauthorized`', '`forbidden`', ...(isFresh ? ['`confirmation_required`'] : [])]
}

function ownErrorsOf(operation: Operation): ErrorResponse[] {
  return [
    ...(operation.charges === true ? [declined, processingError] : []),
    ...(operation.params || operation.queryNamesObject || namesObjects(operation.body) ? [notFound] : []),
    ...(operation.method !== 'GET' ? [conflict] : []),
    ...(operation.feed ? [gone] : []),
    ...(acceptsIdempotencyKey(operation) ? [idempotencyMismatch] : []),
  ]
}

/** Returns whether a body has ids of other objects, which may not exist. */
function namesObjects(body: z.ZodType | undefined): boolean {
  if (!body) return false
  const schema = JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }))
  return /"pattern":"\^(?:txn|trm|suc|whk|evt)_/.test(schema)
}

/** Returns the components that the error responses refer to. */
export function errorComponents(schemas: SchemaCollector): Json {
  const schema = schemas.reference(errorBody)
  const own = ownErrors.map(({ code, description, example }) => [
    errorStatus[code],
    { description, headers: headerReferences(headersOf(code)), content: { 'application/json': { schema, example } } },
  ])
  return { ...Object.fromEntries(own), default: defaultResponse(schema) }
}

/** The headers of an error. A 409 says when to try again only if another call is still running. */
const headersOf = (code: ErrorCode) => ['X-Request-Id', ...(code === 'conflict' ? ['Retry-After'] : [])]

/** The response that all operations share. */
function defaultResponse(schema: Json): Json {
  const errors = [...credentialErrors, ...commonErrors].toSorted((a, b) => errorStatus[a.code] - errorStatus[b.code])
  const lines = errors.map(({ code, description }) => `- ${errorStatus[code]} \`${code}\`: ${description}`)
  const examples = Object.fromEntries(errors.map(({ code, example }) => [code, { value: example }]))
  return {
    description: `Any other error:\n\n${lines.join('\n')}`,
    headers: headerReferences(['X-Request-Id', 'Retry-After', ...['Limit', 'Remaining', 'Reset'].map(limitHeader)]),
    content: { 'application/json': { schema, examples } },
  }
}

const limitHeader = (name: string) => `RateLimit-${name}`

/** Returns response headers as references. */
export function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
