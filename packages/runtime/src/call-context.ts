import { AsyncLocalStorage } from 'node:async_hooks'
import type { Actor } from '@cobro/contracts'
import { setCorrelationId } from './telemetry/correlation.ts'

/**
 * What is known of the call, message or clock tick in hand. Whatever it writes or publishes carries this on.
 * `correlation_id` and `merchant_id` are learnt once the object that the call is about has been loaded.
 */
export interface CallContext {
  request_id: string | null
  actor: Actor
  correlation_id: string | null
  merchant_id: string | null
}

const storage = new AsyncLocalStorage<CallContext>()
const systemActor: Actor = { type: 'system', id: null }

/** Runs `work` as one call. What the context leaves out is unknown yet. */
export function withCallContext<T>(context: Partial<CallContext>, work: () => T): T {
  const call = { request_id: null, actor: systemActor, correlation_id: null, merchant_id: null, ...context }
  return storage.run(call, () => {
    if (call.correlation_id) setCorrelationId(call.correlation_id)
    return work()
  })
}

/** The call in hand; outside of any, that of the system itself. */
export function currentCall(): Readonly<CallContext> {
  return storage.getStore() ?? { request_id: null, actor: systemActor, correlation_id: null, merchant_id: null }
}

/** Notes which lifecycle and merchant the call in hand turned out to be about, for its log lines, spans, events and audit record. */
export function updateCallContext(about: { correlation_id?: string | null; merchant_id?: string | null }): void {
  const call = storage.getStore()
  if (about.correlation_id) setCorrelationId(about.correlation_id)
  if (!call) return
  call.correlation_id = about.correlation_id ?? call.correlation_id
  call.merchant_id = about.merchant_id ?? call.merchant_id
}
