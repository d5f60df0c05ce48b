import type { ServerResponse } from 'node:http'
import { ApiError, errorStatus, isId } from '@cobro/contracts'
import { internalHeaders } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import type { OpenCall } from './open-call.ts'

/** Whether it is decided what a response will be. A weak set would be more work for the garbage collector (ADR 87). */
const decidedKey = Symbol('decided')
type RecordedResponse = ServerResponse & { [decidedKey]?: boolean }

/** Returns whether the response is decided or the client is gone, so no more work is needed. */
export function isResponseDecided(response: RecordedResponse): boolean {
  return response[decidedKey] === true || response.closed
}

/** Decides that nothing else answers a call, such as the error for a malformed rest of its body. */
export function decideResponse(response: RecordedResponse): void {
  response[decidedKey] = true
}

/** Lets an error be the response, because what was decided cannot be sent. */
export function reopenResponse(response: RecordedResponse): void {
  response[decidedKey] = false
}

/**
 * Delays every response until its call is recorded, and sends a 503 instead if recording fails.
 * A client that disconnects first is recorded as `client_closed`.
 */
export function recordBeforeResponse(call: OpenCall, response: RecordedResponse, logger: Pick<Logger, 'error'>): void {
  const send = response.end.bind(response) as (...args: unknown[]) => ServerResponse
  const sendRecorded = async (args: unknown[]) => {
    const restoreHead = keepHead(response)
    const rejection = await call.end(response.statusCode).then(() => undefined, errorOf)
    if (rejection) {
      call.error_code = rejection.code
      await call.end(rejection.status, { durable: false })
    }
    restoreHead()
    removeInternalHeaders(response)
    send(...(rejection ? [writeError(response, rejection)] : args))
  }
  const end = (...args: unknown[]) => {
    if (response.headersSent) return send(...args)
    if (response[decidedKey]) return response
    decideResponse(response)
    copyInternalHeaders(call, response)
    sendRecorded(args).catch(err => {
      logger.error({ err, request_id: call.request_id }, 'a recorded response could not be sent')
      response.destroy()
    })
    return response
  }
  response.end = end as typeof response.end
  response.once('close', () => {
    if (response.writableFinished) return
    // If a response is already being recorded, that record counts and this one is ignored.
    call.end(499, { durable: false, outcome: 'client_closed' }).catch(() => undefined)
  })
}

/**
 * Returns a function that sets the status and headers of a response back to what they are now. Code
 * that does not know that the response is decided, such as a route's error handler, may have changed them. `Connection`
 * stays, since it is about the connection.
 */
function keepHead(response: ServerResponse): () => void {
  const { statusCode } = response
  const headers = new Map(response.getHeaderNames().map(name => [name, response.getHeader(name)]))
  return () => {
    response.statusCode = statusCode
    for (const name of new Set([...headers.keys(), ...response.getHeaderNames()])) {
      const value = headers.get(name)
      if (name === 'connection' || response.getHeader(name) === value) continue
      if (value === undefined) response.removeHeader(name)
      else response.setHeader(name, value)
    }
  }
}

/** Sends an error outside of any route, unless the response is already decided. */
export function sendError(response: ServerResponse, error: ApiError): void {
  if (isResponseDecided(response)) return
  response.setHeader(internalHeaders.errorCode, error.code)
  response.end(writeError(response, error))
}

/** Sets an error's status and headers on a response and returns its body. */
function writeError(response: ServerResponse, error: ApiError): Buffer {
  for (const name of response.getHeaderNames()) if (name.startsWith('content-')) response.removeHeader(name)
  const body = Buffer.from(JSON.stringify(error.body))
  response.statusCode = error.status
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  return body
}

function errorOf(rejection: unknown): ApiError {
  return rejection instanceof ApiError ? rejection : new ApiError('internal_error', undefined, { cause: rejection })
}

/** The gateway's own routes report what a call was about in the same headers as the services. */
function copyInternalHeaders(call: OpenCall, response: ServerResponse): void {
  const correlation = response.getHeader(internalHeaders.correlationId)
  const merchant = response.getHeader(internalHeaders.merchantId)
  if (isId('corr', correlation)) call.correlation_id ??= correlation
  if (isId('mrc', merchant)) call.merchant_id ??= merchant
  call.error_code = errorCodeOf(response.getHeader(internalHeaders.errorCode))
}

/** Returns the error code in an internal header. */
export function errorCodeOf(header: unknown): string | null {
  return typeof header === 'string' && Object.hasOwn(errorStatus, header) ? header : null
}

function removeInternalHeaders(response: ServerResponse): void {
  for (const name of Object.values(internalHeaders)) response.removeHeader(name)
}
