import { apiErrorOf } from './api-error-of.ts'
import type { Answer } from './call.ts'
import type { ApiError } from './errors.ts'
import { has, type OperationRow } from './operation-row.ts'

interface AnsweredCall {
  operation: OperationRow
  idempotencyKey?: string | undefined
}

/** Reads the answer of a response. Rejects with an `ApiError` if it has none. */
export async function answerOf(response: Response, call: AnsweredCall): Promise<Answer<unknown>> {
  const requestId = requestIdOf(response)
  if (response.ok && has(call.operation, 'stream')) return { data: response, response, requestId }
  const body = parsed(await response.text())
  if (!response.ok) throw errorOf(response, body, call)
  const data = has(call.operation, 'data') ? fieldOf(body, 'data') : body
  const isRead = data !== undefined && (!has(call.operation, 'list') || Array.isArray(fieldOf(body, 'data')))
  if (!isRead) throw errorOf(response, undefined, call)
  return { data, response, requestId }
}

/** Returns the id of the call in the audit log. */
export function requestIdOf(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined
}

/** Returns a field of anything. */
export function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

function errorOf(response: Response, body: unknown, call: AnsweredCall): ApiError {
  const [, code, detail] = /^(\w+)(?:: (.*))?$/s.exec(String(fieldOf(body, 'error') ?? '')) ?? []
  return apiErrorOf({
    status: response.status,
    // An answer of something between the program and the API, such as a proxy.
    code: code ?? 'unexpected_response',
    detail: code === undefined ? `status ${response.status} without a JSON body of the API` : detail,
    requestId: requestIdOf(response),
    idempotencyKey: call.idempotencyKey,
    operationId: call.operation[0],
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
    headers: response.headers,
    ...mfaOf(body),
  })
}

function mfaOf(body: unknown) {
  const mfaToken = fieldOf(body, 'mfa_token')
  return typeof mfaToken === 'string' ? { mfaToken, mfaSetup: fieldOf(body, 'mfa_setup') === true } : {}
}

/** Reads a Retry-After: a number of seconds, or a date. */
function secondsOf(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
