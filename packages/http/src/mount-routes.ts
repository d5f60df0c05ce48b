import { ApiError, actorOf, type Caller, describeFaults, type Operation } from '@cobro/contracts'
import { currentCall, inCall } from '@cobro/runtime'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import { z } from 'zod'
import { authorize } from './authorize.ts'
import { type Answer, type Idempotency, keyedCall, takesKey } from './idempotency-key.ts'
import { internalHeaders } from './internal-headers.ts'
import { logWithin } from './log-calls.ts'
import { maxBodyBytes, readBody, refuseText } from './read-body.ts'
import type { Call, Reply, Route } from './route.ts'

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

function handler({ operation, handle }: Route, { authenticate, idempotency }: Mounting): RequestHandler {
  if (takesKey(operation) && !idempotency) throw new Error(`${operation.id} takes keys that nobody keeps.`)
  return async (request, response, next) => {
    const { caller, request_id } = await authenticate(request, operation)
    const merchant_id = 'merchant_id' in caller ? (caller.merchant_id ?? null) : null
    await inCall({ request_id, actor: actorOf(caller), merchant_id }, async () => {
      logWithin(response)
      try {
        authorize(operation, caller)
        const keyed = keyedCall(operation, request, caller)
        const call = { ...validated(operation, request, caller), idempotencyId: keyed?.id }
        const carryOut = async () => handle(call as never, response)
        if (typeof operation.response === 'string') await carryOut()
        else if (!keyed || !idempotency) send(response, await answerOf(operation, carryOut))
        else send(response, await idempotency.once(keyed, () => answerOf(operation, carryOut)))
      } catch (error) {
        // Read by the gateway for the call's audit record, also where the call was refused.
        if (!response.headersSent) tellGateway(response)
        // Handed on from in here, so that the error is logged under the call's ids.
        next(error ?? new Error('A route threw nothing.'))
      }
    })
  }
}

/** Checks a call against its operation. A path parameter that does not fit is a 404: such a thing cannot exist. */
function validated<O extends Operation>(
  operation: O,
  request: Request,
  caller: Caller,
): Omit<Call<O>, 'idempotencyId'> {
  const params = operation.params ? operation.params.safeParse(request.params) : { success: true, data: {} }
  if (!params.success) throw new ApiError('not_found')
  for (const [name, value] of Object.entries(request.query)) refuseText([value].flat().join(' '), name)
  const query = parsed(operation.query ?? z.strictObject({}), { ...request.query }, 'query')
  const body = operation.body ? parsed(operation.body, readBody(request), 'body') : undefined
  return { params: params.data, query, body, caller, request } as Omit<Call<O>, 'idempotencyId'>
}

function parsed(schema: z.ZodType, value: unknown, what: string): unknown {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  const faults = describeFaults(result.error)
  throw new ApiError(
    'invalid_request',
    what === 'query' ? faults.replaceAll('unknown field', 'unknown query parameter') : faults,
  )
}

/** The answer of a call as it is sent. A decline is one too: a repetition of the call is to hear of it again. */
async function answerOf(operation: Operation, carryOut: () => Promise<unknown>): Promise<Answer> {
  try {
    const answer = await carryOut()
    const chosen = answer as Partial<Reply<unknown>>
    const status = chosen.replyStatus ?? operation.status ?? 200
    const body = chosen.replyStatus === undefined ? answer : chosen.body
    return { status, body: JSON.stringify(z.encode(operation.response as z.ZodType, body as never)) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 402) throw error
    return { status: error.status, body: JSON.stringify(error.body) }
  }
}

function send(response: Response, { status, body, replayed }: Answer & { replayed?: boolean }): void {
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
