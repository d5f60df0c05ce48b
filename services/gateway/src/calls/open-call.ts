import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Actor, type Id, newId } from '@cobro/contracts'
import { captureTrace, type Logger } from '@cobro/runtime'
import { clientAddress } from '../network/client-address.ts'
import type { IpRange } from '../network/ip-ranges.ts'
import { logCall } from '../spool/log-call.ts'
import type { Spool } from '../spool/open-spool.ts'
import { type CallBegin, type CallEnd, endCall } from '../spool/spooled-call.ts'
import { recordedPath, targetIdOf } from './recorded-path.ts'
import { recordedUserAgent } from './redact-recorded-text.ts'

/** A request that has not been answered yet, with the contents of its audit record. */
export interface OpenCall {
  readonly request_id: Id<'req'>
  readonly ip: string | null
  /** Why the call must be rejected: it could not be recorded. */
  readonly rejection: unknown
  actor: Actor
  /** The caller's merchant; for payers the merchant of the object that they used. */
  merchant_id: Id<'mrc'> | null
  correlation_id: Id<'corr'> | null
  /** The operation that the request matched, and the code of the error that it was answered with. */
  operation_id: string | null
  error_code: string | null
  /**
   * Records how the call ends; send the response after this resolves. Only a durable end can
   * reject: then call it again with the status of the error that the client gets. Only the first recorded end counts.
   */
  end(status: number, how?: { durable?: boolean; outcome?: 'client_closed' }): Promise<void>
}

export interface CallDeps {
  spool: Pick<Spool, 'begin' | 'end'>
  trustedProxies: readonly IpRange[]
  logger: Pick<Logger, 'info' | 'error'>
}

/** What is known about a call before it is processed. */
export interface CallInput {
  method: string
  target: string
  headers: IncomingHttpHeaders
  socket: Duplex & { remoteAddress?: string }
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Assigns a request id to a call and records its begin. Never throws: see `rejection`. */
export function openCall({ spool, trustedProxies, logger }: CallDeps, input: CallInput): OpenCall {
  const startedAt = performance.now()
  const begin = beginOf(input, trustedProxies)
  const changes = !safeMethods.has(input.method)
  let rejection: unknown
  let ended: Promise<void> | undefined
  try {
    spool.begin(begin, { required: changes })
  } catch (error) {
    rejection = error
  }
  const record = async (end: CallEnd, durable: boolean) => {
    try {
      await spool.end(begin.request_id, end, { durable })
    } catch (error) {
      ended = undefined
      throw error
    }
    logCall(logger, endCall(begin, end))
  }
  return {
    request_id: begin.request_id,
    ip: begin.ip,
    rejection,
    actor: { type: 'payer', id: null },
    merchant_id: null,
    correlation_id: null,
    operation_id: null,
    error_code: null,
    end(status, { durable = changes, outcome } = {}) {
      const { merchant_id, actor, correlation_id, operation_id, error_code } = this
      const duration_ms = Math.round(performance.now() - startedAt)
      const what = { operation_id, error_code, target_id: null }
      const end = { status_code: status, duration_ms, merchant_id, actor, correlation_id, ...what }
      ended ??= record({ ...end, ...(outcome ? { outcome } : {}) }, durable)
      return ended
    },
  }
}

/** A weak map would keep the calls alive for longer (ADR 87). */
const callKey = Symbol('call')
type Received = IncomingMessage & { [callKey]?: OpenCall }

export function attachCall(request: Received, call: OpenCall): void {
  request[callKey] = call
}

/** Returns the call of a request. Every request has one before it reaches a route. */
export function callOf({ [callKey]: call }: Received): OpenCall {
  if (!call) throw new Error('A request reached a route before a call was opened for it.')
  return call
}

function beginOf({ method, target, headers, socket }: CallInput, trustedProxies: readonly IpRange[]): CallBegin {
  const agent = headers['user-agent']
  const forwardedFor = headers['x-forwarded-for'] as string | undefined
  return {
    request_id: newId('req'),
    started_at: new Date().toISOString(),
    method,
    path: recordedPath(target),
    ip: clientAddress(trustedProxies, { socket: socket.remoteAddress, forwardedFor }),
    user_agent: agent === undefined ? null : recordedUserAgent(agent),
    traceparent: captureTrace().traceparent ?? null,
    target_id: targetIdOf(target),
  }
}
