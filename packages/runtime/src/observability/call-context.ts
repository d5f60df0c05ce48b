import { AsyncLocalStorage } from 'node:async_hooks'
import type { Actor } from '@cobro/contracts'
import { inNewTrace, setCorrelationId, type TraceCarrier } from './correlation.ts'

/**
 * The context of the current call, message or scheduled task, whose rows, events and log lines
 * include these fields. `correlation_id` and `merchant_id` are set once the object of the call is loaded.
 */
export interface CallContext {
  request_id: string | null
  actor: Actor
  correlation_id: string | null
  merchant_id: string | null
}

const storage = new AsyncLocalStorage<CallContext>()
const noCall: CallContext = {
  request_id: null,
  actor: { type: 'system', id: null },
  correlation_id: null,
  merchant_id: null,
}

/** Runs `work` in a new call context. Omitted fields are null, and the actor is the system. */
export function withCallContext<T>(context: Partial<CallContext>, work: () => T): T {
  const call = { ...noCall, ...context }
  return storage.run(call, () => {
    if (call.correlation_id) setCorrelationId(call.correlation_id)
    return work()
  })
}

/** The merchant and lifecycle that a row belongs to, and the trace in which it was created. */
export type RowOrigin = Partial<Pick<CallContext, 'merchant_id' | 'correlation_id'>> & Pick<TraceCarrier, 'traceparent'>

/** Runs background work on a row as a call in a new trace, linked to the trace of its creation. */
export function inBackgroundCall<T>(
  name: string,
  { merchant_id = null, correlation_id = null, traceparent }: RowOrigin,
  work: () => Promise<T> | T,
): Promise<T> {
  return inNewTrace(name, { links: [{ traceparent }] }, () => withCallContext({ merchant_id, correlation_id }, work))
}

/** Returns the current call context. Outside of calls, the actor is the system, all else null. */
export function currentCall(): Readonly<CallContext> {
  return storage.getStore() ?? noCall
}

/** Sets the current call's correlation id and merchant for logs, spans, events and audit record. */
export function updateCallContext(about: { correlation_id?: string | null; merchant_id?: string | null }): void {
  const call = storage.getStore()
  if (about.correlation_id) setCorrelationId(about.correlation_id)
  if (!call) return
  call.correlation_id = about.correlation_id ?? call.correlation_id
  call.merchant_id = about.merchant_id ?? call.merchant_id
}
