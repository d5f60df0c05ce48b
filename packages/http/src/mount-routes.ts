import { ApiError, actorOf, type Caller, type Operation } from '@cobro/contracts'
import { currentCall, inCall } from '@cobro/runtime'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import { authorize } from './authorize.ts'
import { type HttpAnswer, type Idempotency, keyedCall, takesKey } from './idempotency-key.ts'
import { internalHeaders } from './internal-headers.ts'
import { logWithin } from './log-calls.ts'
import { maxBodyBytes } from './read-body.ts'
import type { Route } from './route.ts'

/** Finds out who calls an operation. Throws `unauthorized` where a credential is bad; a caller without any is a payer. */
export type Authenticate = (
  request: Request,
  operation: Operation,
) => Promise<{ caller: Caller; request_id: string | null }>

interface Mounting {
  authenticate: Authenticate
  /** Needed as soon as one of the routes takes an Idempotency-Key. */
  idempotency?: Idempotency | undefined
}

/** Adds routes to an app: each call is authenticated, allowed, validated, carried out and answered through its response schema. */
export function mountRoutes(app: Express, routes: readonly Route[], mounting: Mounting): void {
  const rawBody = express.raw({ type: () => true, limit: maxBodyBytes, inflate: false })
  mountOperations(
    app,
    routes.map(one => [one.operation, rawBody, handler(one, mounting)]),
  )
}

/**
 * Adds operations to an app, each with what carries it out. A fixed segment is tried before a parameter in its place, and a known
 * path with another method is a 405 that says which there are. Path by path: a method that `/things/list` does not have must not
 * be taken for one of `/things/:id`.
 */
export function mountOperations(app: Express, mounted: readonly (readonly [Operation, ...RequestHandler[]])[]): void {
  const byPath = [...Map.groupBy(mounted, ([{ path }]) => path)].toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
  for (const [path, there] of byPath) {
    for (const [operation, ...carryOut] of there) {
      const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
      app[method](path, ...carryOut)
    }
    const allow = [...new Set(there.map(([{ method }]) => method))].join(', ')
    app.all(path, () => {
      throw new ApiError('method_not_allowed', `expected ${allow}`, { headers: { Allow: allow } })
    })
  }
}

const rank = (path: string) => path.replaceAll(':', '~')

function handler({ operation, accept }: Route, { authenticate, idempotency }: Mounting): RequestHandler {
  if (takesKey(operation) && !idempotency) throw new Error(`${operation.id} takes keys that nobody keeps.`)
  return async (request, response, next) => {
    const { caller, request_id } = await authenticate(request, operation)
    const merchant_id = 'merchant_id' in caller ? (caller.merchant_id ?? null) : null
    await inCall({ request_id, actor: actorOf(caller), merchant_id }, async () => {
      logWithin(response)
      try {
        authorize(operation, caller)
        const keyed = keyedCall(operation, request, caller)
        const execution = accept({ request, caller, idempotencyId: keyed?.id })
        if ('write' in execution) await execution.write(response)
        else if (!keyed || !idempotency) send(response, await orDecline(execution.answer))
        else send(response, await idempotency.once(keyed, () => orDecline(execution.answer)))
      } catch (error) {
        // Read by the gateway for the call's audit record, also where the call was refused.
        if (!response.headersSent) tellGateway(response)
        // Handed on from in here, so that the error is logged under the call's ids.
        next(error ?? new Error('A route threw nothing.'))
      }
    })
  }
}

/** Returns the answer of a call as it is sent. A declined payment is an answer too, so that a repeated call gets it again. */
async function orDecline(answer: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 402) throw error
    return { status: error.status, body: JSON.stringify(error.body) }
  }
}

function send(response: Response, { status, body, replayed }: HttpAnswer & { replayed?: boolean }): void {
  tellGateway(response)
  if (replayed) response.set('Idempotent-Replayed', 'true')
  response.status(status).type('json').send(body)
}

/** Tells the gateway what a call turned out to be about, for its audit record. Routes that write their answers themselves call it before. */
export function tellGateway(response: Response): void {
  const { correlation_id, merchant_id } = currentCall()
  if (correlation_id) response.set(internalHeaders.correlationId, correlation_id)
  if (merchant_id) response.set(internalHeaders.merchantId, merchant_id)
}
