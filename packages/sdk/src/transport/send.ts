import { answerOf, requestIdOf } from './answer.ts'
import type { Answer } from './call.ts'
import { codeOf, leavesUnknown } from './effects.ts'
import { AbortedError, CobroError, ConnectionError, DeclinedError, TimeoutError } from './errors.ts'
import type { OperationRow } from './operation-row.ts'
import { has } from './operation-row.ts'
import type { Attempt, CallOptions, TransportOptions } from './options.ts'
import { mayRepeat, pause, pauseMs } from './retries.ts'
import { startTimeLimit, type TimeLimit, within } from './time-limit.ts'

/** How a client sends its calls. */
export interface Transport extends TransportOptions {
  /** Returns the headers with the credential. Called once for each call. */
  authorize: () => Promise<Record<string, string>> | Record<string, string>
  /** In place of sending calls, for tests. */
  send?: (call: OutgoingCall) => Promise<Answer<unknown>>
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

/** What all attempts of a call have in common. */
interface Prepared {
  transport: Transport
  call: OutgoingCall
  url: string
  init: { method: string; headers: Headers; body?: string }
}

type Limits = Required<Pick<CallOptions, 'timeoutMs' | 'deadlineMs' | 'maxRetries'>>

/**
 * Sends a call, and repeats it where that is safe. Rejects with a `CobroError`, or a `TypeError` for what cannot be sent; a
 * failure to get the credential is passed on.
 */
export async function send(transport: Transport, call: OutgoingCall): Promise<Answer<unknown>> {
  if (transport.send) return transport.send(call)
  const limits = limitsOf(transport, call.options)
  const { signal } = call.options
  const endsAtMs = Date.now() + limits.deadlineMs
  const limit = startTimeLimit(limits.deadlineMs, signal)
  let outcomeUnknown = false
  try {
    const prepared = await prepare(transport, call, limit, limits)
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(prepared, attempt, startTimeLimit(limits.timeoutMs, limit.signal))
      } catch (error) {
        if (!(error instanceof CobroError)) throw error
        outcomeUnknown ||= leavesUnknown(call.operation, error)
        // A decline is the outcome.
        error.outcomeUnknown = outcomeUnknown && !(error instanceof DeclinedError)
        const delayMs = pauseMs(attempt, error)
        const isLast = attempt > limits.maxRetries || Date.now() + delayMs >= endsAtMs
        if (isLast || !mayRepeat(call, error)) throw error
        notify(() => transport.onRetry?.({ ...attemptOf(call, attempt), delayMs, error }))
        await pause(delayMs, signal).catch(cause => {
          throw new AbortedError('aborted', { ...unanswered(call), outcomeUnknown, cause })
        })
      }
    }
  } finally {
    // The caller can still abort the reading of a stream.
    if (has(call.operation, 'stream')) limit.clearTimer()
    else limit.clear()
  }
}

function limitsOf(transport: TransportOptions, options: CallOptions): Limits {
  const limits = {
    timeoutMs: options.timeoutMs ?? transport.timeoutMs ?? 35_000,
    deadlineMs: options.deadlineMs ?? transport.deadlineMs ?? 120_000,
    maxRetries: options.maxRetries ?? transport.maxRetries ?? 2,
  }
  if (!(limits.timeoutMs > 0 && limits.deadlineMs > 0)) throw new TypeError('Time limits have to be above 0.')
  if (!(limits.maxRetries >= 0)) throw new TypeError('maxRetries has to be a number from 0.')
  return limits
}

/** Makes the request before its first attempt, so that what cannot be sent is no failure of the connection. */
async function prepare(
  transport: Transport,
  call: OutgoingCall,
  limit: TimeLimit,
  { deadlineMs }: Limits,
): Promise<Prepared> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body)
  const credential = await within(limit.signal, Promise.resolve(transport.authorize())).catch(error => {
    throw limit.signal.aborted ? endOf(call, limit, deadlineMs, { cause: error }) : error
  })
  const headers = new Headers()
  const all = {
    ...transport.headers?.(),
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
    ...credential,
  }
  for (const [name, value] of Object.entries(all)) setHeader(headers, name, value)
  const init = { method: call.operation[1], headers, ...(body === undefined ? {} : { body }) }
  return { transport, call, url: `${transport.baseUrl}${call.target}`, init }
}

/** The message of the runtime would repeat the value, which may be a credential. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new TypeError(`The header ${name} has characters that a header cannot have.`)
  }
}

async function sendOnce(prepared: Prepared, attempt: number, limit: TimeLimit): Promise<Answer<unknown>> {
  const { transport, call, url, init } = prepared
  const startMs = Date.now()
  const progress = { sent: false }
  try {
    limit.signal.throwIfAborted()
    notify(() => transport.onRequest?.(attemptOf(call, attempt)))
    progress.sent = true
    // A redirect would repeat the call elsewhere, with its credential.
    const response = await (transport.fetch ?? fetch)(url, { ...init, redirect: 'manual', signal: limit.signal })
    const answered = { status: response.status, requestId: requestIdOf(response), durationMs: Date.now() - startMs }
    notify(() => transport.onResponse?.({ ...attemptOf(call, attempt), ...answered }))
    return await answerOf(response, call)
  } catch (cause) {
    if (cause instanceof CobroError) throw cause
    const outcomeUnknown = progress.sent && codeOf(cause) === undefined
    throw endOf(call, limit, Date.now() - startMs, { outcomeUnknown, cause })
  } finally {
    if (has(call.operation, 'stream')) limit.clearTimer()
    else limit.clear()
  }
}

/** Returns the error of a call that got no answer. */
function endOf(
  call: OutgoingCall,
  limit: TimeLimit,
  afterMs: number,
  { outcomeUnknown = false, cause }: { outcomeUnknown?: boolean; cause: unknown },
): CobroError {
  const fields = { ...unanswered(call), outcomeUnknown: outcomeUnknown && call.operation[1] !== 'GET', cause }
  if (call.options.signal?.aborted) return new AbortedError('aborted', fields)
  if (limit.signal.aborted) return new TimeoutError(`no answer within ${Math.round(afterMs)} ms`, fields)
  return new ConnectionError('no connection, or it was lost', fields)
}

function unanswered({ operation: [operationId], idempotencyKey }: OutgoingCall) {
  return { operationId, idempotencyKey }
}

function attemptOf({ operation: [operationId, , path] }: OutgoingCall, attempt: number): Attempt {
  return { operationId, path, attempt }
}

/** Calls a hook. Whatever it throws, the outcome of the call is the same. */
function notify(hook: () => unknown): void {
  try {
    Promise.resolve(hook()).catch(() => undefined)
  } catch {}
}
