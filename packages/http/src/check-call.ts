import {
  ApiError,
  type BodyOf,
  type Caller,
  describeValidationErrors,
  type Operation,
  type ParamsOf,
  type QueryOf,
} from '@cobro/contracts'
import type { Request } from 'express'
import { z } from 'zod'
import { isTooLong, readBody, rejectText } from './read-body.ts'

/** A call that was authenticated and allowed, before its parts are validated. */
export interface IncomingCall {
  request: Request
  caller: Caller
  /** Identifies the call's Idempotency-Key, if any; a repeated call has the same id. */
  idempotencyId: string | undefined
  /** The input of an earlier call, which is validated instead of that of the request. */
  stored?: StoredInput | undefined
}

/** The input of a call as JSON, so that it can be carried out later. A body of `null` stands for none. */
interface StoredInput {
  params: unknown
  body: unknown
}

/** A validated call of an operation. */
export interface Call<O extends Operation> extends IncomingCall {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
}

/** Validates a call against its operation's schemas. */
export function checkCall<O extends Operation>(operation: O, incoming: IncomingCall): Call<O> {
  const { request, stored } = incoming
  // The compiler cannot follow the schemas of a generic operation to their output types.
  const params = paramsOf(operation, stored ?? request) as ParamsOf<O>
  const query = queryOf(operation, stored ? {} : request.query) as QueryOf<O>
  const body = (stored ? storedBodyOf(operation, stored) : bodyOf(operation, request)) as BodyOf<O>
  return { ...incoming, params, query, body }
}

/** A malformed path parameter is a 404: no such object can exist. */
function paramsOf({ params: schema }: Operation, given: { params: unknown }): unknown {
  if (!schema) return {}
  const params = schema.safeParse(given.params)
  if (!params.success) throw new ApiError('not_found')
  return params.data
}

const noParameters = z.strictObject({})

function queryOf({ query: schema = noParameters }: Operation, query: Request['query']): unknown {
  const { data, error, success } = schema.safeParse({ ...query }, { reportInput: true })
  if (!error?.issues.some(isTooLong)) {
    for (const [name, value] of Object.entries(query)) rejectText([value].flat().join(' '), name)
  }
  if (success) return data
  const detail = describeValidationErrors(error).replaceAll('unknown field', 'unknown query parameter')
  throw new ApiError('invalid_request', detail)
}

function bodyOf({ body: schema }: Operation, request: Request): unknown {
  if (!schema) return undefined
  return readBody(request, schema)
}

/** A release between the two calls may have changed the schema. */
function storedBodyOf({ body: schema }: Operation, { body }: StoredInput): unknown {
  if (!schema) return undefined
  const { data, error, success } = schema.safeParse(body ?? undefined, { reportInput: true })
  if (success) return data
  throw new ApiError('invalid_request', describeValidationErrors(error))
}
