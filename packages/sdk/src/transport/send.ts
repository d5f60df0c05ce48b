import {
  AbortedError,
  ApiError,
  apiErrorOf,
  CobroError,
  ConnectionError,
  TimeoutError,
  type UnansweredFields,
} from './errors.ts'
import type { OperationRow } from './operation-row.ts'
import { has } from './operation-row.ts'
import type { Attempt, CallOptions, TransportOptions } from './options.ts'
import { mayRepeat, pause, pauseMs } from './retries.ts'
import { startTimeLimit } from './time-limit.ts'

/** How a client sends its calls. */
export interface Transport extends TransportOptions {
  /** Returns the headers with the credential. */
  authorize: () => Promise<Record<string, string>> | Record<string, string>
}

/** One call of an operation. */
export interface OutgoingCall {
  operation: OperationRow
  /** The path with its ids, and the query. */
  target: string
  body?: unknown
  idempotencyKey?: string | undefined
  options: CallOptions
}

/** A response of the API, read. */
export interface Answer<T> {
  data: T
  response: Response
  requestId: string | undefined
}

type Limits = Required<Pick<CallOptions, 'timeoutMs' | 'deadlineMs' | 'maxRetries'>>

/** What Node reports before anything was sent. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Sends a call, and repeats it where that is safe. Rejects with a `CobroError`. */
export async function send(transport: Transport, call: OutgoingCall): Promise<Answer<unknown>> {
  const limits = limitsOf(transport, call.options)
  const endsAtMs = Date.now() + limits.deadlineMs
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = Math.min(limits.timeoutMs, endsAtMs - Date.now())
    try {
      return await sendOnce(transport, call, { attempt, timeoutMs })
    } catch (error) {
      const delayMs = pauseMs(attempt, error)
      const isLast = attempt > limits.maxRetries || Date.now() + delayMs >= endsAtMs
      if (isLast || !(error instanceof CobroError) || !mayRepeat(call, error)) throw error
      notify(() => transport.onRetry?.({ ...attemptOf(call, attempt), delayMs, error }))
      await pause(delayMs, call.options.signal).catch(cause => {
        throw new AbortedError('aborted', unansweredFields(call, { outcomeUnknown: leavesUnknown(error), cause }))
      })
    }
  }
}

function limitsOf(transport: TransportOptions, options: CallOptions): Limits {
  return {
    timeoutMs: options.timeoutMs ?? transport.timeoutMs ?? 30_000,
    deadlineMs: options.deadlineMs ?? transport.deadlineMs ?? 90_000,
    maxRetries: options.maxRetries ?? transport.maxRetries ?? 2,
  }
}

async function sendOnce(
  transport: Transport,
  call: OutgoingCall,
  { attempt, timeoutMs }: { attempt: number; timeoutMs: number },
): Promise<Answer<unknown>> {
  const limit = startTimeLimit(timeoutMs, call.options.signal)
  const progress = { sent: false }
  try {
    limit.signal.throwIfAborted()
    const headers = await headersOf(transport, call)
    progress.sent = true
    const response = await observedFetch(transport, { call, attempt, headers, signal: limit.signal })
    return await answerOf(response, call)
  } catch (cause) {
    if (cause instanceof CobroError) throw cause
    const isRead = call.operation[1] === 'GET'
    const fields = unansweredFields(call, {
      outcomeUnknown: progress.sent && !isRead && !neverSent.has(codeOf(cause)),
      cause,
    })
    if (call.options.signal?.aborted) throw new AbortedError('aborted', fields)
    if (limit.signal.aborted) throw new TimeoutError(`no answer within ${timeoutMs} ms`, fields)
    throw new ConnectionError('no connection, or it was lost', fields)
  } finally {
    limit.clear()
  }
}

async function observedFetch(
  transport: Transport,
  given: { call: OutgoingCall; attempt: number; headers: Record<string, string>; signal: AbortSignal },
): Promise<Response> {
  const { call, headers, signal } = given
  const about = attemptOf(call, given.attempt)
  const startMs = Date.now()
  notify(() => transport.onRequest?.(about))
  const response = await (transport.fetch ?? fetch)(`${transport.baseUrl.replace(/\/+$/, '')}${call.target}`, {
    method: call.operation[1],
    headers,
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    // A redirect would repeat the call elsewhere, with its credential.
    redirect: 'manual',
    signal,
  })
  const answered = { status: response.status, requestId: requestIdOf(response), durationMs: Date.now() - startMs }
  notify(() => transport.onResponse?.({ ...about, ...answered }))
  return response
}

async function headersOf(transport: Transport, call: OutgoingCall): Promise<Record<string, string>> {
  return {
    ...transport.headers?.(),
    accept: 'application/json',
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
    ...(await transport.authorize()),
  }
}

async function answerOf(response: Response, call: OutgoingCall): Promise<Answer<unknown>> {
  const requestId = requestIdOf(response)
  if (response.ok && has(call.operation, 'stream')) return { data: response, response, requestId }
  const body = parsed(await response.text())
  if (!response.ok || body === undefined) throw errorOf(response, body, call)
  const data = has(call.operation, 'data') ? fieldOf(body, 'data') : body
  return { data, response, requestId }
}

function errorOf(response: Response, body: unknown, call: OutgoingCall): ApiError {
  const [, code, detail] = /^(\w+)(?:: (.*))?$/s.exec(String(fieldOf(body, 'error') ?? '')) ?? []
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return apiErrorOf({
    status: response.status,
    // An answer of something between the program and the API, such as a proxy.
    code: code ?? 'unexpected_response',
    detail: code === undefined ? `status ${response.status} without a JSON body of the API` : detail,
    requestId: requestIdOf(response),
    idempotencyKey: call.idempotencyKey,
    operationId: call.operation[0],
    retryAfterSeconds: seconds >= 0 ? seconds : undefined,
    headers: response.headers,
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined
}

function attemptOf({ operation: [operationId, , path] }: OutgoingCall, attempt: number): Attempt {
  return { operationId, path, attempt }
}

function unansweredFields(
  { operation: [operationId], idempotencyKey }: OutgoingCall,
  known: Pick<UnansweredFields, 'outcomeUnknown' | 'cause'>,
): UnansweredFields {
  return { operationId, idempotencyKey, ...known }
}

/** Whether a failed attempt may have had its effect. */
function leavesUnknown(error: CobroError): boolean {
  if (error instanceof ApiError) return error.status === 500 || error.status === 504
  return error instanceof ConnectionError || error instanceof TimeoutError ? error.outcomeUnknown : false
}

/** Returns the code that Node gives the cause of a failed `fetch`. */
function codeOf(error: unknown): string {
  return String(fieldOf(fieldOf(error, 'cause'), 'code') ?? '')
}

/** Calls a hook. Whatever it throws, the outcome of the call is the same. */
function notify(hook: () => void): void {
  try {
    hook()
  } catch {}
}
