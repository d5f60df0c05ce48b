import { ApiError, acceptsIdempotencyKey, actorOf, type Caller, maxBodyKib, type Operation } from '@cobro/contracts'
import { currentCall, type HttpAnswer, type Idempotency, recordRoute, withCallContext } from '@cobro/runtime'
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { authorize } from './authorize.ts'
import { deprecationHeaders } from './deprecation-headers.ts'
import { keyedCall } from './idempotency-key.ts'
import { internalHeaders } from './internal-headers.ts'
import { logInContext } from './log-calls.ts'
import type { Route } from './route.ts'
import { routeTable } from './route-table.ts'

/** Identifies the caller; without a credential, a payer. Throws `unauthorized` for a wrong one. */
export type Authenticate = (
  request: Request,
  operation: Operation,
) => Promise<{ caller: Caller; request_id: string | null }>

interface Mounting {
  authenticate: Authenticate
  /** Required if one of the routes accepts an Idempotency-Key. */
  idempotency?: Idempotency | undefined
}

/** Adds routes that authenticate, authorize, validate and execute calls, and encode responses. */
export function mountRoutes(app: Express, routes: readonly Route[], mounting: Mounting): void {
  mountOperations(
    app,
    routes.map(one => [one.operation, afterBody(rawBody(maxBodyKib(one.operation)), handler(one, mounting))]),
  )
}

/** Reads a body of any type as bytes, uncompressed. */
export function rawBody(maxKib: number): RequestHandler {
  return express.raw({ type: () => true, limit: maxKib * 1024, inflate: false })
}

type Handler = (request: Request, response: Response, next: NextFunction) => Promise<void>

function afterBody(readBody: RequestHandler, handle: Handler): RequestHandler {
  return (request, response, next) =>
    readBody(request, response, error => {
      if (error) next(error)
      else handle(request, response, next).catch((thrown: unknown) => next(thrown ?? undefinedError()))
    })
}

/** An operation and what handles its calls. */
export type Mounted = readonly [Pick<Operation, 'method' | 'path'>, RequestHandler]

const undefinedError = () => new Error('A route threw undefined.')

/**
 * Adds operations with their handlers. Fixed segments of a path match before parameters: a method
 * that `/things/list` does not have must not match `/things/:id`. Other methods of a path get 405 with `Allow`.
 */
export function mountOperations(app: Express, mounted: Iterable<Mounted>): void {
  const byPath = Map.groupBy(mounted, ([{ path }]) => path)
  const find = routeTable([...byPath].map(([path, there]) => [path, handlersOf(path, there)]))
  app.use((request, response, next) => {
    const found = find(request.path)
    if (!found) return next()
    const { path, handlers, allow } = found.value
    request.params = found.params
    request.route = { path }
    recordRoute(path)
    const handle = handlers.get(request.method)
    if (!handle) throw new ApiError('method_not_allowed', `expected ${allow}`, { headers: { Allow: allow } })
    return handle(request, response, next)
  })
}

function handlersOf(path: string, mounted: Iterable<Mounted>) {
  const handlers = new Map<string, RequestHandler>()
  for (const [{ method }, handle] of mounted) {
    if (handlers.has(method)) throw new Error(`Two operations are ${method} ${path}.`)
    handlers.set(method, handle)
  }
  const allow = [...handlers.keys()].join(', ')
  const get = handlers.get('GET')
  return { path, handlers: get ? handlers.set('HEAD', get) : handlers, allow }
}

function handler({ operation, accept }: Route, { authenticate, idempotency }: Mounting): Handler {
  if (acceptsIdempotencyKey(operation) && !idempotency)
    throw new Error(`${operation.id} accepts idempotency keys, but no store for them was given.`)
  const deprecation = deprecationHeaders(operation)
  return async (request, response, next) => {
    response.set(deprecation)
    const { caller, request_id } = await authenticate(request, operation)
    const merchant_id = 'merchant_id' in caller ? (caller.merchant_id ?? null) : null
    await withCallContext({ request_id, actor: actorOf(caller), merchant_id }, async () => {
      logInContext(response)
      try {
        authorize(operation, caller)
        const keyed = keyedCall(operation, request, caller)
        const execution = accept({ request, caller, idempotencyId: keyed?.id })
        if ('write' in execution) await execution.write(response)
        else if (!keyed || !idempotency) send(response, await orDecline(execution.answer))
        else send(response, await idempotency.once(keyed, () => orDecline(execution.answer)))
      } catch (error) {
        // The gateway needs these for the audit record, also of a rejected call.
        if (!response.headersSent) setInternalHeaders(response)
        // Called inside `withCallContext`, so that the error is logged under the call's ids.
        next(error ?? undefinedError())
      }
    })
  }
}

/** Returns the response to send, also for a decline, so that a repeated call gets it again. */
async function orDecline(answer: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 402) throw error
    return { status: error.status, body: JSON.stringify(error.body) }
  }
}

function send(response: Response, { status, body, headers = {}, replayed }: HttpAnswer & { replayed?: boolean }): void {
  setInternalHeaders(response)
  const errorCode = status >= 400 ? /^\{"error":"(\w+)/.exec(body)?.[1] : undefined
  if (errorCode) response.set(internalHeaders.errorCode, errorCode)
  if (replayed) response.set('Idempotent-Replayed', 'true')
  response.set(headers).status(status)
  // Express's `send` looks up the type, parses it and copies long bodies, which took 2 % of the CPU time of a read.
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
}

/**
 * Sets the lifecycle and merchant of a call as headers, for the gateway's audit record. Routes that
 * write their response call it first.
 */
export function setInternalHeaders(response: Response): void {
  const { correlation_id, merchant_id } = currentCall()
  if (correlation_id) response.set(internalHeaders.correlationId, correlation_id)
  if (merchant_id) response.set(internalHeaders.merchantId, merchant_id)
}
