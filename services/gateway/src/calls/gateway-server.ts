import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@cobro/contracts'
import { serverSettings } from '@cobro/http'
import { inCall } from '@cobro/runtime'
import type { Express } from 'express'
import { malformedRequestHandler, type RawDeps, sendBareError } from './malformed-requests.ts'
import { attachCall, callOf, openCall } from './open-call.ts'
import { recordBeforeResponse, sendError } from './recorded-response.ts'

const timeoutCheckMs = 1_000

/**
 * Creates the HTTP server. Every request gets an id and an audit record, also those that Node would answer by itself: a
 * missing Host, `Expect`, CONNECT, unparsable requests and timeouts.
 */
export function createGatewayServer(deps: RawDeps & { app: Express }): Server {
  const exchanges = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>()

  const take = (request: IncomingMessage, response: ServerResponse, carryOut: () => void) => {
    exchanges.set(request.socket, { request, response })
    const { method = '-', url = '-', headers, socket } = request
    const call = openCall(deps, { method, target: url, headers, socket })
    attachCall(request, call)
    recordBeforeResponse(call, response)
    response.setHeader('X-Request-Id', call.request_id)
    for (const [name, value] of deps.headers) response.setHeader(name, value)
    inCall({ request_id: call.request_id, actor: call.actor }, carryOut)
  }

  const server = createServer({
    ...serverSettings,
    requireHostHeader: false,
    connectionsCheckingInterval: timeoutCheckMs,
  })
  server.on('request', (request, response) => take(request, response, () => deps.app(request, response)))
  // By default Node sends 100 Continue before the request event.
  server.on('checkContinue', (request, response) =>
    take(request, response, () => {
      if (!callOf(request).refusal) response.writeContinue()
      deps.app(request, response)
    }),
  )
  server.on('checkExpectation', (request, response) =>
    take(request, response, () =>
      sendError(response, new ApiError('expectation_failed', 'expected 100-continue or none')),
    ),
  )
  server.on('connect', (request, socket) => {
    const facts = { method: 'CONNECT', target: request.url ?? '-', headers: request.headers, socket }
    void sendBareError(deps, facts, new ApiError('method_not_allowed', 'this is no proxy'))
  })
  server.on(
    'clientError',
    malformedRequestHandler(deps, socket => exchanges.get(socket)),
  )
  return server
}
