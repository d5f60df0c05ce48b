import type { ServerResponse } from 'node:http'
import { ApiError, actorOf, type Caller, isId, type Operation } from '@cobro/contracts'
import { authorize, internalHeaders } from '@cobro/http'
import { type Logger, updateCallContext, withCallContext } from '@cobro/runtime'
import type { Request, RequestHandler } from 'express'
import type { Dispatcher } from 'undici'
import { selectedMerchants, withSelectedMerchant } from '../callers/selected-merchant.ts'
import { callOf, type OpenCall } from '../calls/open-call.ts'
import { decideResponse, errorCodeOf, isResponseDecided, reopenResponse } from '../calls/recorded-response.ts'
import { addressGroup } from '../network/address-group.ts'
import type { EventStreams } from './event-streams.ts'
import { limitedBody } from './limited-body.ts'
import { upstreamRequestHeaders } from './request-headers.ts'
import { clientResponseHeaders } from './response-headers.ts'
import { sendUpstream } from './send-upstream.ts'
import { UpstreamCall, type UpstreamHead } from './upstream-call.ts'
import { upstreamPath } from './upstream-path.ts'
import type { UpstreamName, Upstreams } from './upstreams.ts'

export interface ForwardDeps {
  upstreams: Upstreams
  streams: EventStreams
  /** Identifies the caller; throws if a credential is invalid. */
  identify: (request: Request, operation: Operation) => Promise<Caller>
  /** Returns the identity token for the caller and the service. */
  identityFor: (subject: { caller: Caller; service: UpstreamName }) => Promise<string>
  logger: Logger
}

/** Returns the handler that identifies and authorizes the caller and proxies the request. */
export function forwardCall(deps: ForwardDeps, operation: Operation): RequestHandler {
  return async (request, response, next) => {
    const call = callOf(request)
    const caller = await deps.identify(request, operation)
    const context = { request_id: call.request_id, actor: actorOf(caller), merchant_id: call.merchant_id }
    await withCallContext(context, async () => {
      try {
        authorize(operation, caller)
        const path = pathOf(operation, request)
        await proxy(deps, { operation, request, response, caller, call, path })
      } catch (error) {
        // Called inside the context, so that the error is logged with the call's ids.
        next(error)
      }
    })
  }
}

function pathOf(operation: Operation, request: Request): string {
  const params = operation.params ? operation.params.safeParse(request.params) : { success: true, data: {} }
  if (!params.success) throw new ApiError('not_found')
  return upstreamPath(operation, params.data as Record<string, unknown>, selectedMerchants(request.url).target)
}

interface ProxiedCall {
  operation: Operation
  request: Request
  response: ServerResponse
  caller: Caller
  call: OpenCall
  path: string
}

const clientDisconnected = new Error('The client disconnected.')

async function proxy(deps: ForwardDeps, proxied: ProxiedCall): Promise<void> {
  const { operation, request, response, call, path } = proxied
  if (isResponseDecided(response)) return
  const reads = operation.method === 'GET'
  const service = operation.service as UpstreamName
  const body = reads ? undefined : limitedBody(request, operation)
  let upstream: UpstreamCall | undefined
  let answers = false
  const leave = () => upstream?.abort(clientDisconnected)
  response.once('close', leave)
  try {
    const headers = await requestHeaders(deps, proxied, body?.length)
    const send = async () => {
      if (response.closed) throw clientDisconnected
      const sent = new UpstreamCall()
      upstream = sent
      const method = request.method as Dispatcher.HttpMethod
      deps.upstreams.dispatch(service, { method, path, headers, body: body?.stream ?? null }, sent)
      return { sent, head: await sent.head }
    }
    const { sent, head } = await sendUpstream(send, { reads })
    // A service may respond before it has the whole body, whose rest may be malformed.
    if (isResponseDecided(response)) return
    answers = true
    decideResponse(response)
    copyCallContext(call, head)
    await call.end(head.statusCode)
    sendHead(deps, proxied, head)
    await sent.sendBody(response)
  } catch (error) {
    // A client that has disconnected gets no response; one that has received part of the response sees it cut off.
    const left = response.closed || (!answers && isResponseDecided(response))
    leave()
    if (left) return
    if (!response.headersSent) {
      reopenResponse(response)
      throw error
    }
    deps.logger.warn({ err: error }, 'a response was cut off')
    response.destroy()
  } finally {
    response.off('close', leave)
    leave()
    body?.stream.destroy()
  }
}

function sendHead(deps: ForwardDeps, { request, response }: ProxiedCall, { statusCode, headers }: UpstreamHead): void {
  for (const [name, value] of clientResponseHeaders(headers)) {
    if (name === 'vary') response.appendHeader(name, value)
    else if (name === 'link') response.setHeader(name, withSelectedMerchant(String(value), request.url))
    else response.setHeader(name, value)
  }
  response.writeHead(statusCode)
  // The head of an event stream is sent at once; other heads are sent with the first bytes of the body.
  if (!String(headers['content-type']).startsWith('text/event-stream')) return
  response.flushHeaders()
  deps.streams.add(response)
}

async function requestHeaders(
  deps: ForwardDeps,
  { operation, request, caller, call }: ProxiedCall,
  length: number | undefined,
): Promise<Record<string, string>> {
  return {
    ...upstreamRequestHeaders(request.headers),
    ...(length === undefined ? {} : { 'content-length': String(length) }),
    [internalHeaders.identity]: await deps.identityFor({ caller, service: operation.service as UpstreamName }),
    [internalHeaders.requestId]: call.request_id,
    ...(caller.kind === 'payer' ? { [internalHeaders.clientAddress]: addressGroup(call.ip) } : {}),
  }
}

/** Copies the merchant, correlation id and error code that the service reports to the call's audit record. */
function copyCallContext(call: OpenCall, { headers }: UpstreamHead): void {
  const correlation_id = headers[internalHeaders.correlationId]
  const merchant_id = headers[internalHeaders.merchantId]
  if (isId('corr', correlation_id)) {
    call.correlation_id = correlation_id
    updateCallContext({ correlation_id })
  }
  if (isId('mrc', merchant_id)) call.merchant_id ??= merchant_id
  call.error_code = errorCodeOf(headers[internalHeaders.errorCode])
}
