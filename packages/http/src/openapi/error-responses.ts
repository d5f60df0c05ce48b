import { type ErrorCode, errorBody, errorStatus, type Operation } from '@cobro/contracts'
import { acceptsIdempotencyKey } from '../idempotency-key.ts'
import type { Json, SchemaCollector } from './json-schemas.ts'

interface ErrorResponse {
  code: ErrorCode
  description: string
  example: Json
}

/** The errors that mean something particular for an operation. Their components are named by their status. */
const ownErrors = {
  Declined: {
    code: 'insufficient_funds',
    description: 'The issuer declined the card; the code is the reason',
    example: { error: 'insufficient_funds', declined: true },
  },
  NotFound: { code: 'not_found', description: 'No such object exists', example: { error: 'not_found' } },
  Conflict: {
    code: 'conflict',
    description: 'The state of the object does not allow it, or a call with the same Idempotency-Key is still running',
    example: { error: 'conflict: a payment is running' },
  },
  IdempotencyMismatch: {
    code: 'idempotency_mismatch',
    description: 'The Idempotency-Key was used with another body',
    example: { error: 'idempotency_mismatch: this Idempotency-Key was used with another body' },
  },
  ProcessingError: {
    code: 'processing_error',
    description: 'The payment failed for a technical reason; nothing was charged',
    example: { error: 'processing_error' },
  },
} as const satisfies Record<string, ErrorResponse>

/** The errors that every operation may return. */
const commonErrors: readonly ErrorResponse[] = [
  {
    code: 'invalid_request',
    description: 'a field, parameter or header is invalid; the text names it',
    example: { error: 'invalid_request: amount_total: expected an integer in minor units (cents), got 250.5' },
  },
  {
    code: 'payload_too_large',
    description: 'the body is too large',
    example: { error: 'payload_too_large: expected at most 256 KiB' },
  },
  {
    code: 'unsupported_media_type',
    description: 'the Content-Type is not JSON',
    example: { error: 'unsupported_media_type: expected Content-Type: application/json' },
  },
  {
    code: 'rate_limited',
    description: 'too many calls; retry after `Retry-After` seconds',
    example: { error: 'rate_limited: expected at most 1000 calls in 10 s' },
  },
  {
    code: 'internal_error',
    description: 'an internal error. Quote the request id',
    example: { error: 'internal_error' },
  },
  {
    code: 'unavailable',
    description: 'a dependency cannot be reached; nothing was done',
    example: { error: 'unavailable' },
  },
  {
    code: 'timeout',
    description: 'no response in time. The change may have been made: repeat the call with its Idempotency-Key',
    example: { error: 'timeout' },
  },
]

/** The errors of operations that need a credential, which their security says. */
const credentialErrors: readonly ErrorResponse[] = [
  { code: 'unauthorized', description: 'no credential, or an invalid one', example: { error: 'unauthorized' } },
  {
    code: 'forbidden',
    description: 'the caller may not do this, or not with this object',
    example: { error: 'forbidden' },
  },
]

/** The codes that every operation may return; the introduction of the description names them. */
export const commonErrorCodes = commonErrors.map(({ code }) => `\`${code}\``).join(', ')

type OwnError = keyof typeof ownErrors

/** Returns the error responses of an operation, each as a reference. */
export function errorResponses(operation: Operation): Json {
  const statuses = [...namesOf(operation).map(name => errorStatus[ownErrors[name].code]), 'default']
  return Object.fromEntries(statuses.map(status => [status, { $ref: `#/components/responses/${status}` }]))
}

/** Returns the error codes that the description of an operation names. The code of a decline is its reason. */
export function errorCodes(operation: Operation): string[] {
  const own = namesOf(operation).map(name => (name === 'Declined' ? 'a decline reason' : `\`${ownErrors[name].code}\``))
  return [...credentialCodes(operation), ...own]
}

function credentialCodes({ callers, limit }: Operation): string[] {
  if (callers.every(kind => kind === 'payer')) return limit === 'login' ? ['`unauthorized`'] : []
  // The acquirer may do everything that its signature gives access to.
  return callers.includes('acquirer') ? ['`unauthorized`'] : ['`unauthorized`', '`forbidden`']
}

function namesOf(operation: Operation): OwnError[] {
  const { method, params, charges } = operation
  const when = (condition: boolean, ...names: OwnError[]) => (condition ? names : [])
  return [
    ...when(charges === true, 'Declined', 'ProcessingError'),
    ...when(params !== undefined, 'NotFound'),
    ...when(method !== 'GET', 'Conflict'),
    ...when(acceptsIdempotencyKey(operation), 'IdempotencyMismatch'),
  ]
}

/** Returns the components that the error responses refer to. */
export function errorComponents(schemas: SchemaCollector): Json {
  const schema = schemas.reference(errorBody)
  const own = Object.values(ownErrors).map(({ code, description, example }) => [
    errorStatus[code],
    { description, headers: headerReferences(['X-Request-Id']), content: { 'application/json': { schema, example } } },
  ])
  return { ...Object.fromEntries(own), default: defaultResponse(schema) }
}

/** The response that all operations share. */
function defaultResponse(schema: Json): Json {
  const errors = [...credentialErrors, ...commonErrors].toSorted((a, b) => errorStatus[a.code] - errorStatus[b.code])
  const lines = errors.map(({ code, description }) => `- ${errorStatus[code]} \`${code}\`: ${description}`)
  const examples = Object.fromEntries(errors.map(({ code, example }) => [code, { value: example }]))
  return {
    description: `Any other error:\n\n${lines.join('\n')}`,
    headers: headerReferences([
      'X-Request-Id',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
    ]),
    content: { 'application/json': { schema, examples } },
  }
}

/** Returns response headers as references. */
export function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
