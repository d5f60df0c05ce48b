import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@cobro/contracts'
import { createHttpServer, serverSettings, type TlsSettings } from '@cobro/http'
import { withCallContext } from '@cobro/runtime'
import type { Express, Request, Response } from 'express'
import { isAmbiguous } from './check-request-head.ts'
import { type ErrorResponseDeps, malformedRequestHandler, recordAndSendError } from './malformed-requests.ts'
import { attachCall, callOf, openCall } from './open-call.ts'
import { isResponseDecided, recordBeforeResponse, sendError } from './recorded-response.ts'
import { keepRequestLines } from './request-lines.ts'

const timeoutCheckMs = 1_000

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** Where a connection has its newest exchange. A weak map would keep it alive for longer (ADR 87). */
const exchangeKey = Symbol('exchange')
type Connection = Duplex & { [exchangeKey]?: Exchange }

function attachExchange(socket: Connection, exchange: Exchange): void {
  socket[exchangeKey] = exchange
}

const exchangeOf = ({ [exchangeKey]: exchange }: Connection): Exchange | undefined => exchange

const withoutPath = new ApiError('invalid_request', 'expected a path as the request target')
const unexpected = new ApiError('expectation_failed', 'expected 100-continue or none')

/** Counts and answers a request that no layer of the app sees. */
async function rejectUnrouted(
  { connections, logger }: ErrorResponseDeps,
  { request, response }: Exchange,
  error: ApiError,
): Promise<void> {
  try {
    const isClosed = await connections.countRejected(callOf(request).ip, request.socket)
    if (isResponseDecided(response)) return
    if (isClosed) response.setHeader('Connection', 'close')
    sendError(response, error)
  } catch (err) {
    logger.error({ err }, 'a request could not be rejected')
    request.socket.destroy()
  }
}

/**
 * Creates the HTTP server. Every request gets an id and an audit record, even if Node would answer
 * it: a missing Host, `Expect`, CONNECT, an unparsable request or a timeout.
 */
export function createGatewayServer(deps: ErrorResponseDeps & { app: Express }, tls: TlsSettings = {}): Server {
  /** Connections on which a head was ambiguous. What follows it may be its body, so it is no request. */
  const ambiguous = new WeakSet<Duplex>()

  const receive = (request: IncomingMessage, response: ServerResponse, handle: () => void) => {
    // It gets no response, so read no more of them: the connection closes after that to the ambiguous one.
    if (ambiguous.has(request.socket)) return void request.socket.pause()
    if (isAmbiguous(request)) {
      ambiguous.add(request.socket)
      response.setHeader('Connection', 'close')
    }
    attachExchange(request.socket, { request, response })
    const { method = '-', url = '-', headers, socket } = request
    const call = openCall(deps, { method, target: url, headers, socket })
    attachCall(request, call)
    recordBeforeResponse(call, response, deps.logger)
    response.setHeader('X-Request-Id', call.request_id)
    for (const [name, value] of deps.headers) response.setHeader(name, value)
    withCallContext({ request_id: call.request_id, actor: call.actor }, handle)
  }
  /**
   * Express passes a target without a path to none of its layers, and would answer it after the response was sent. An error comes
   * here only after the head of a response.
   */
  const route = (request: IncomingMessage, response: ServerResponse) =>
    deps.app(request as Request, response as Response, (error?: unknown) =>
      error ? request.socket.destroy() : rejectUnrouted(deps, { request, response }, withoutPath),
    )

  const server = createHttpServer(tls, {
    ...serverSettings,
    requireHostHeader: false,
    connectionsCheckingInterval: timeoutCheckMs,
  })
  deps.connections.guard(server)
  keepRequestLines(server)
  server.on('request', (request, response) => receive(request, response, () => route(request, response)))
  // By default Node sends 100 Continue before the request event.
  server.on('checkContinue', (request, response) =>
    receive(request, response, () => {
      if (!callOf(request).rejection) response.writeContinue()
      route(request, response)
    }),
  )
  server.on('checkExpectation', (request, response) =>
    receive(request, response, () => rejectUnrouted(deps, { request, response }, unexpected)),
  )
  server.on('connect', (request, socket) => {
    if (ambiguous.has(socket)) return void socket.destroy()
    const input = { method: 'CONNECT', target: request.url ?? '-', headers: request.headers, socket }
    void recordAndSendError(deps, input, new ApiError('method_not_allowed', 'this server is not a proxy'))
  })
  server.on('clientError', malformedRequestHandler(deps, exchangeOf))
  return server
}
